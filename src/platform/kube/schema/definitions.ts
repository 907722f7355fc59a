/** The schemas of all built-in types. Each is built on first use. */
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

/** Builds its field schemas on first access, because definitions refer to each other. */
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
  const created = new DefinedObject(short)
  objects.set(short, created)
  return created
}

const valueSchema = (type: string): Schema => {
  if (type.startsWith('[]'))
    return { type: 'list', items: valueSchema(type.slice(2)), merge: 'atomic', keys: NONE }
  return SCALARS[type] ?? (definitionData().has(type) ? objectNamed(type) : ANY)
}

const ZERO_KEYS: Readonly<Record<string, unknown>> = { string: '', int32: 0, int64: 0 }

/** The value of an omitted key field: its default, or the zero value of Go if Go always writes the field. */
const keyDefault = (field: FieldData | undefined): unknown => {
  if (field === undefined) return undefined
  const [text, , extras] = field
  const { pointer, omitEmpty, shape, elementType } = readType(text)
  return extras?.d ?? (pointer || omitEmpty || shape !== 'one' ? undefined : ZERO_KEYS[elementType])
}

const listSchema = (elementType: string, extras: FieldData[2]): ListSchema => {
  const keys = extras?.k ?? NONE
  const item = definitionData().get(elementType)
  const defaults = keys.flatMap((key) => {
    const value = keyDefault(item?.f[key])
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    type: 'list',
    items: valueSchema(elementType),
    merge: extras?.l ?? 'atomic',
    keys,
    ...(defaults.length === 0 ? {} : { keyDefaults: Object.fromEntries(defaults) }),
    ...(extras?.s?.startsWith('merge') ? { patchMergeKey: extras.m ?? '' } : {}),
  }
}

const fieldSchema = ([text, , extras]: FieldData): Schema => {
  const { shape, elementType } = readType(text)
  if (shape === 'list') return listSchema(elementType, extras)
  if (shape === 'map')
    return { type: 'map', values: valueSchema(elementType), atomic: extras?.a === 'atomic' }
  const value = valueSchema(elementType)
  if (value.type !== 'object' || extras?.a === undefined) return value
  // This field overrides the map type of its definition (for example, claimRef of a PersistentVolume).
  return new DefinedObject(elementType, extras.a === 'atomic')
}

/** Returns the schema of a built-in API type; undefined for other types. */
export const schemaOf = (gvk: GroupVersionKind): ObjectSchema | undefined => {
  const short = shortNameOf(gvk)
  return short === undefined ? undefined : objectNamed(short)
}

/** Returns the OpenAPI name of a built-in API type: `io.k8s.api.apps.v1.Deployment`. */
export const definitionName = (gvk: GroupVersionKind): string | undefined => {
  const short = shortNameOf(gvk)
  return short === undefined ? undefined : longName(short)
}
