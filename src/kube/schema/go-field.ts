/** Says how Go holds a field, from the field's stored facts. */
import type { FieldData, FieldType } from './definition-data.ts'
import type { GoField } from './schema.ts'

const GO_NAMES: Readonly<Record<string, string>> = {
  double: 'float64',
  byte: '[]uint8',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  duration: 'v1.Duration',
  fields: 'v1.FieldsV1',
  raw: 'runtime.RawExtension',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  json: 'v1.JSON',
  'schema-or-schemas': 'v1.JSONSchemaPropsOrArray',
  'schema-or-bool': 'v1.JSONSchemaPropsOrBool',
  'schema-or-strings': 'v1.JSONSchemaPropsOrStringArray',
}

/** `core.v1.Container` is `v1.Container` in Go's messages. */
const goName = (type: string): string => {
  if (type.startsWith('[]')) return `[]${goName(type.slice(2))}`
  return GO_NAMES[type] ?? type.split('.').slice(-2).join('.')
}

const typeName = ({ shape, of }: FieldType): string => {
  if (shape === 'list') return `[]${goName(of)}`
  return shape === 'map' ? `map[string]${goName(of)}` : goName(of)
}

/** Types whose zero JSON cannot show, or shows as null. */
const NEVER_ZERO = new Set(['time', 'micro-time', 'duration', 'fields', 'raw', 'json'])

const zeroOf = ({ pointer, shape, of, omitEmpty }: FieldType): GoField['zero'] => {
  if (pointer || NEVER_ZERO.has(of) || of.startsWith('schema-or-')) return 'keep'
  if (shape === 'one' && (of.includes('.') || of === 'quantity')) return 'fill'
  // Go would write a port of 0, but no stored object has one: it means that a default is wanted.
  if (omitEmpty || of === 'int-or-string') return 'drop'
  return shape !== 'one' || of === 'string' || of === 'byte' ? 'keep' : 'fill'
}

export const goField = (type: FieldType, extras: FieldData[2]): GoField => ({
  type: extras?.g ?? typeName(type),
  zero: zeroOf(type),
})
