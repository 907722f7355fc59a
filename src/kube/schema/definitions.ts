/** The schemas of every built-in type, linked to each other; each is built when it is first looked into. */
import { definitionData, type FieldData, longName, readType, shortNameOf } from './definition-data.ts'
import { goField } from './go-field.ts'
import type { GoField, GroupVersionKind, ListSchema, ObjectSchema, Schema } from './schema.ts'

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  byte: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time', nullable: true },
  'micro-time': { type: 'string', format: 'date-time', microseconds: true, nullable: true },
  duration: { type: 'string' },
  quantity: { type: 'quantity' },
  'int-or-string': { type: 'int-or-string' },
}

const ANY: Schema = { type: 'any' }
const NONE: readonly string[] = []

/** Looks into the stored facts only when its fields are asked for, so that linking costs nothing up front. */
class DefinedObject implements ObjectSchema {
  readonly type = 'object'
  readonly name: string
  readonly required: readonly string[]
  readonly atomic: boolean
  readonly retainKeys: boolean
  readonly #short: string
  #fields: ReadonlyMap<string, Schema> | undefined
  #goFields: ReadonlyMap<string, GoField> | undefined

  constructor(short: string, atomic?: boolean) {
    const data = definitionData().get(short)!
    this.#short = short
    this.name = longName(short)
    this.required = data.r ?? NONE
    this.atomic = atomic ?? data.a === 'atomic'
    this.retainKeys = data.t === 1
  }

  get fields(): ReadonlyMap<string, Schema> {
    this.#fields ??= new Map(this.#data().map(([name, field]) => [name, fieldSchema(field)]))
    return this.#fields
  }

  get goFields(): ReadonlyMap<string, GoField> {
    this.#goFields ??= new Map(
      this.#data().map(([name, field]) => [name, goField(readType(field[0]), field[2])]),
    )
    return this.#goFields
  }

  #data(): [string, FieldData][] {
    return Object.entries(definitionData().get(this.#short)!.f)
  }
}

const objects = new Map<string, DefinedObject>()

const objectNamed = (short: string): DefinedObject => {
  const known = objects.get(short)
  if (known !== undefined) return known
  const made = new DefinedObject(short)
  objects.set(short, made)
  return made
}

const valueSchema = (type: string): Schema => {
  if (type.startsWith('[]'))
    return { type: 'list', items: valueSchema(type.slice(2)), merge: 'atomic', keys: NONE }
  return SCALARS[type] ?? (definitionData().has(type) ? objectNamed(type) : ANY)
}

const listSchema = (of: string, extras: FieldData[2]): ListSchema => {
  const keys = extras?.k ?? NONE
  const item = definitionData().get(of)
  const defaults = keys.flatMap((key) => {
    const value = item?.f[key]?.[2]?.d
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    type: 'list',
    items: valueSchema(of),
    merge: extras?.l ?? 'atomic',
    keys,
    ...(defaults.length === 0 ? {} : { keyDefaults: Object.fromEntries(defaults) }),
    ...(extras?.s?.startsWith('merge') ? { patchMergeKey: extras.m ?? '' } : {}),
  }
}

const fieldSchema = ([text, , extras]: FieldData): Schema => {
  const { shape, of } = readType(text)
  if (shape === 'list') return listSchema(of, extras)
  if (shape === 'map') return { type: 'map', values: valueSchema(of), atomic: extras?.a === 'atomic' }
  const value = valueSchema(of)
  if (value.type !== 'object' || extras?.a === undefined) return value
  // This use of the type says otherwise than the type itself (a volume's claimRef).
  return new DefinedObject(of, extras.a === 'atomic')
}

/** The schema of a built-in API type, if it is one. */
export const schemaOf = (gvk: GroupVersionKind): ObjectSchema | undefined => {
  const short = shortNameOf(gvk)
  return short === undefined ? undefined : objectNamed(short)
}

/** The OpenAPI name of a built-in API type: `io.k8s.api.apps.v1.Deployment`. */
export const definitionName = (gvk: GroupVersionKind): string | undefined => {
  const short = shortNameOf(gvk)
  return short === undefined ? undefined : longName(short)
}
