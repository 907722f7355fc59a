/** Converts definitions to OpenAPI schemas, version 2 and version 3. */
import { defined } from '#kit'
import { definitionData, type FieldData, longName, readType, WORD_DEFINITIONS } from '../definition-data.ts'
import { describeField, describeType } from './descriptions.ts'

export type Dialect = 'v2' | 'v3'
export type Json = Record<string, unknown>

const SCALARS: Readonly<Record<string, { schema: Json; zero?: unknown }>> = {
  string: { schema: { type: 'string' }, zero: '' },
  bool: { schema: { type: 'boolean' }, zero: false },
  int32: { schema: { type: 'integer', format: 'int32' }, zero: 0 },
  int64: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  double: { schema: { type: 'number', format: 'double' }, zero: 0 },
  byte: { schema: { type: 'string', format: 'byte' } },
}

/** The schemas of the types in {@link WORD_DEFINITIONS}. */
const WORD_SCHEMAS: Readonly<Record<string, Readonly<Record<Dialect, Json>>>> = {
  time: forBothDialects({ type: 'string', format: 'date-time' }),
  'micro-time': forBothDialects({ type: 'string', format: 'date-time' }),
  duration: forBothDialects({ type: 'string' }),
  fields: forBothDialects({ type: 'object' }),
  raw: forBothDialects({ type: 'object' }),
  quantity: { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  'int-or-string': {
    v2: { type: 'string', format: 'int-or-string' },
    v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  json: forBothDialects({}),
  'schema-or-schemas': forBothDialects({}),
  'schema-or-bool': forBothDialects({}),
  'schema-or-strings': forBothDialects({}),
}

function forBothDialects(schema: Json): Record<Dialect, Json> {
  return { v2: schema, v3: schema }
}

const wordsByDefinition = new Map(Object.entries(WORD_DEFINITIONS).map(([word, short]) => [short, word]))

/** Returns a reference to a definition: `#/definitions/...` or `#/components/schemas/...`. */
export const refTo = (name: string, dialect: Dialect): Json => ({
  $ref: `${dialect === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}`,
})

/** The schema of a list element or map value. */
const elementSchema = (
  elementType: string,
  dialect: Dialect,
  enumValues: readonly string[] | undefined,
): Json => {
  if (elementType.startsWith('[]'))
    return { type: 'array', items: elementSchema(elementType.slice(2), dialect, enumValues) }
  const scalar = SCALARS[elementType]
  if (scalar !== undefined) {
    const defaultValue = dialect === 'v3' ? scalar.zero : undefined
    return defined({ ...scalar.schema, default: defaultValue, enum: enumValues })
  }
  const ref = refTo(longName(WORD_DEFINITIONS[elementType] ?? elementType), dialect)
  return dialect === 'v3' && WORD_SCHEMAS[elementType] === undefined ? { default: {}, allOf: [ref] } : ref
}

const shapeSchema = ([text, , extras]: FieldData, dialect: Dialect): Json => {
  const { shape, elementType, pointer, omitEmpty } = readType(text)
  if (shape === 'list') return { type: 'array', items: elementSchema(elementType, dialect, extras?.e) }
  if (shape === 'map')
    return { type: 'object', additionalProperties: elementSchema(elementType, dialect, extras?.e) }
  const scalar = SCALARS[elementType]
  if (scalar !== undefined) {
    const zero = pointer || omitEmpty ? undefined : scalar.zero
    return { ...scalar.schema, enum: extras?.e, default: dialect === 'v3' ? (extras?.d ?? zero) : undefined }
  }
  const ref = refTo(longName(WORD_DEFINITIONS[elementType] ?? elementType), dialect)
  if (dialect === 'v2') return ref
  return { default: pointer || WORD_SCHEMAS[elementType] !== undefined ? undefined : {}, allOf: [ref] }
}

/** Appends the values of an enum to its description. The data has no comments on single values. */
const withEnumValues = (description: string | undefined, [text, , extras]: FieldData): string | undefined => {
  if (description === undefined || extras?.e === undefined || readType(text).shape !== 'one')
    return description
  const values = extras.e.map((value) => `\n - \`${JSON.stringify(value)}\``)
  return `${description}\n\nPossible enum values:${values.join('')}`
}

const fieldSchema = (field: FieldData, dialect: Dialect, description: string | undefined): Json => {
  const extras = field[2]
  return defined({
    description: withEnumValues(description, field),
    ...shapeSchema(field, dialect),
    'x-kubernetes-list-map-keys': extras?.k,
    'x-kubernetes-list-type': extras?.l,
    'x-kubernetes-map-type': extras?.a,
    'x-kubernetes-patch-merge-key': extras?.m,
    'x-kubernetes-patch-strategy': extras?.s,
  })
}

const kindsOf = (ids: readonly string[] | undefined): Json[] | undefined =>
  ids?.map((id) => {
    const [group, version, kind] = id.split('/')
    return { group, kind, version }
  })

/** Returns the schema of a definition, given its short name. */
export const openApiSchema = (short: string, dialect: Dialect): Json => {
  const description = describeType(short)
  const word = wordsByDefinition.get(short)
  if (word !== undefined) return defined({ description, ...WORD_SCHEMAS[word]![dialect] })
  const data = definitionData().get(short)!
  const fields = Object.entries(data.f)
  return defined({
    description,
    type: 'object',
    required: data.r,
    properties:
      fields.length === 0
        ? undefined
        : Object.fromEntries(
            fields.map(([name, field]) => [name, fieldSchema(field, dialect, describeField(short, name))]),
          ),
    'x-kubernetes-group-version-kind': kindsOf(data.k),
    'x-kubernetes-map-type': data.a,
    'x-kubernetes-unions': data.u,
  })
}

/** Returns the short names of the definitions that a definition refers to. */
const refsOf = (short: string): string[] =>
  Object.values(definitionData().get(short)?.f ?? {})
    .map(([text]) => readType(text).elementType.replace('[]', ''))
    .filter((type) => SCALARS[type] === undefined)
    .map((type) => WORD_DEFINITIONS[type] ?? type)

/** Returns the schemas of the given definitions and of all that they refer to, sorted by long name. */
export const openApiSchemas = (roots: Iterable<string>, dialect: Dialect): Json => {
  const seen = new Set<string>()
  const queue = [...roots]
  for (let short = queue.pop(); short !== undefined; short = queue.pop()) {
    if (seen.has(short)) continue
    seen.add(short)
    queue.push(...refsOf(short))
  }
  const names = [...seen].map((short): [string, string] => [longName(short), short])
  return Object.fromEntries(
    names.sort(([a], [b]) => (a < b ? -1 : 1)).map(([long, short]) => [long, openApiSchema(short, dialect)]),
  )
}
