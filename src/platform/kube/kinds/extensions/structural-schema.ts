/** The schema type of custom resources, and the validation of structural schemas. */
import type { JSONSchemaProps } from 'kubernetes-types/apiextensions/v1.d.ts'
import { linearPattern, PatternError } from '#kit'
import { type FieldError, forbiddenField, invalid, notSupported, required } from '#platform/kube/meta'

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  fieldPath?: string
  optionalOldSelf?: boolean
}

type Nested = 'properties' | 'items' | 'additionalProperties' | 'allOf' | 'anyOf' | 'oneOf' | 'not'

/** An OpenAPI v3 schema with the extensions for custom resources. */
export interface JsonSchema extends Omit<JSONSchemaProps, Nested | 'default' | 'enum'> {
  properties?: { [name: string]: JsonSchema }
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  not?: JsonSchema
  default?: unknown
  enum?: unknown[]
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-validations'?: ValidationRule[]
}

const LIST_TYPES = ['atomic', 'set', 'map']
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
/** Keywords that define structure. They are forbidden inside `allOf`, `anyOf`, `oneOf` and `not`. */
const STRUCTURE_FIELDS = [
  'type',
  'description',
  'title',
  'default',
  'additionalProperties',
  'nullable',
] as const

const isTypeOptional = (schema: JsonSchema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true

/** The position of a schema, which determines the message about a missing type. */
type SchemaPosition = 'root' | 'field' | 'item'
const MISSING_TYPE: Readonly<Record<SchemaPosition, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
}

const validateType = (schema: JsonSchema, field: string, position: SchemaPosition): FieldError[] => {
  const { type = '' } = schema
  if (position === 'root' && type !== '' && type !== 'object') {
    return [invalid(`${field}.type`, type, 'must be object at the root')]
  }
  if (schema['x-kubernetes-int-or-string'] === true && type !== '') {
    return [invalid(`${field}.type`, type, 'must be empty if x-kubernetes-int-or-string is true')]
  }
  if (type === '') {
    return position !== 'root' && isTypeOptional(schema)
      ? []
      : [required(`${field}.type`, MISSING_TYPE[position])]
  }
  return TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, TYPES)]
}

const validateList = (schema: JsonSchema, field: string): FieldError[] => {
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const errors: FieldError[] = []
  if (schema.type === 'array' && schema.items === undefined) {
    errors.push(required(`${field}.items`, 'must be specified'))
  }
  if (listType === undefined) return errors
  if (schema.type !== 'array') {
    errors.push(
      invalid(`${field}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'),
    )
  }
  if (!LIST_TYPES.includes(listType)) {
    errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, LIST_TYPES))
  }
  if (listType === 'map' && keys.length === 0) {
    errors.push(
      required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'),
    )
  }
  for (const key of listType === 'map' ? keys : []) {
    if (schema.items?.properties?.[key] === undefined) {
      const detail = 'entries must all be names of item properties'
      errors.push(invalid(`${field}.x-kubernetes-list-map-keys`, key, detail))
    }
  }
  return errors
}

/** Accepts only patterns that Go supports. They match in linear time. */
const validatePattern = ({ pattern = '' }: JsonSchema, field: string): FieldError[] => {
  try {
    linearPattern(pattern)
    return []
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    const detail = `must be a valid regular expression, but isn't: ${error.message}`
    return [invalid(`${field}.pattern`, pattern, detail)]
  }
}

const validateKeywords = (schema: JsonSchema, field: string): FieldError[] => {
  const errors: FieldError[] = []
  const { additionalProperties } = schema
  if (additionalProperties === false) {
    errors.push(
      forbiddenField(`${field}.additionalProperties`, 'additionalProperties cannot be set to false'),
    )
  }
  if (additionalProperties !== undefined && Object.keys(schema.properties ?? {}).length > 0) {
    errors.push(
      forbiddenField(
        `${field}.additionalProperties`,
        'additionalProperties and properties are mutual exclusive',
      ),
    )
  }
  if (schema.uniqueItems === true) {
    errors.push(
      forbiddenField(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  }
  if (schema.$ref !== undefined) errors.push(forbiddenField(`${field}.$ref`, '$ref is not supported'))
  if (schema['x-kubernetes-embedded-resource'] === true && schema.type !== 'object') {
    errors.push(
      invalid(`${field}.type`, schema.type ?? '', 'must be object if x-kubernetes-embedded-resource is true'),
    )
  }
  ;(schema['x-kubernetes-validations'] ?? []).forEach(({ rule = '' }, index) => {
    if (rule.trim() === '') {
      errors.push(required(`${field}.x-kubernetes-validations[${index}].rule`, 'rule is not specified'))
    }
  })
  return errors
}

/** Validates a schema inside a logical operator, which must not define structure. */
const validateValueRules = (schema: JsonSchema, field: string): FieldError[] => [
  ...STRUCTURE_FIELDS.filter((name) => schema[name] !== undefined)
    .filter((name) => name !== 'type' || schema['x-kubernetes-int-or-string'] !== true)
    .map((name) => forbiddenField(`${field}.${name}`, 'must be empty to be structural')),
  ...validatePattern(schema, field),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    validateValueRules(property, `${field}.properties[${name}]`),
  ),
  ...(schema.items === undefined ? [] : validateValueRules(schema.items, `${field}.items`)),
]

const validateOperators = (schema: JsonSchema, field: string): FieldError[] => {
  // An int-or-string schema may name its two types in these lists, so they are not validated.
  const exempt = schema['x-kubernetes-int-or-string'] === true
  const validateAlternatives = (name: 'allOf' | 'anyOf' | 'oneOf'): FieldError[] =>
    exempt
      ? []
      : (schema[name] ?? []).flatMap((part, index) => validateValueRules(part, `${field}.${name}[${index}]`))
  return [
    ...validateAlternatives('allOf'),
    ...validateAlternatives('anyOf'),
    ...validateAlternatives('oneOf'),
    ...(schema.not === undefined ? [] : validateValueRules(schema.not, `${field}.not`)),
  ]
}

/** Validates a schema and all nested schemas. */
export const validateStructure = (
  schema: JsonSchema,
  field: string,
  position: SchemaPosition = 'root',
): FieldError[] => [
  ...validateType(schema, field, position),
  ...validateList(schema, field),
  ...validateKeywords(schema, field),
  ...validatePattern(schema, field),
  ...validateOperators(schema, field),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    position === 'root' && name === 'metadata'
      ? []
      : validateStructure(property, `${field}.properties[${name}]`, 'field'),
  ),
  ...(schema.items === undefined ? [] : validateStructure(schema.items, `${field}.items`, 'item')),
  ...(typeof schema.additionalProperties === 'object'
    ? validateStructure(schema.additionalProperties, `${field}.additionalProperties`, 'field')
    : []),
]
