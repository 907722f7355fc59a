/** Derives the Go type of a field from its definition. */
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

/** Converts `core.v1.Container` to `v1.Container`, the form in Go's messages. */
const goName = (type: string): string => {
  if (type.startsWith('[]')) return `[]${goName(type.slice(2))}`
  return GO_NAMES[type] ?? type.split('.').slice(-2).join('.')
}

const typeName = ({ shape, elementType }: FieldType): string => {
  if (shape === 'list') return `[]${goName(elementType)}`
  return shape === 'map' ? `map[string]${goName(elementType)}` : goName(elementType)
}

/** Types whose zero value JSON omits or writes as null. */
const NEVER_ZERO = new Set(['time', 'micro-time', 'duration', 'fields', 'raw', 'json'])

const zeroOf = ({ pointer, shape, elementType, omitEmpty }: FieldType): GoField['zero'] => {
  if (pointer || NEVER_ZERO.has(elementType) || elementType.startsWith('schema-or-')) return 'keep'
  if (shape === 'one' && (elementType.includes('.') || elementType === 'quantity')) return 'fill'
  // Go would write a port of 0, but no stored object has one: 0 requests the default.
  if (omitEmpty || elementType === 'int-or-string') return 'drop'
  return shape !== 'one' || elementType === 'string' || elementType === 'byte' ? 'keep' : 'fill'
}

export const goField = (type: FieldType, extras: FieldData[2]): GoField => ({
  type: extras?.g ?? typeName(type),
  zero: zeroOf(type),
})
