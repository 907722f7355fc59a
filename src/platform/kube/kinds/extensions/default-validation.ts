/** Validates the default values in the schema of a custom resource against that schema. */
import { isPlainObject } from '#kit'
import { type FieldError, invalid } from '#platform/kube/meta'
import type { JsonSchema } from './structural-schema.ts'
import { validateValue } from './validate-value.ts'

/** Whether the value has a field that the schema does not declare and that would be dropped. */
const hasUnknownFields = (value: unknown, schema: JsonSchema | undefined): boolean => {
  if (schema === undefined) return false
  if (Array.isArray(value)) return value.some((item) => hasUnknownFields(item, schema.items))
  if (!isPlainObject(value)) return false
  const { properties = {}, additionalProperties } = schema
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true
  return Object.entries(value).some(([name, inner]) => {
    if (Object.hasOwn(properties, name)) return hasUnknownFields(inner, properties[name])
    if (typeof additionalProperties === 'object') return hasUnknownFields(inner, additionalProperties)
    return !keepsAll && additionalProperties !== true
  })
}

const validateDefault = (schema: JsonSchema, field: string): FieldError[] => {
  const path = `${field}.default`
  return hasUnknownFields(schema.default, schema)
    ? [invalid(path, schema.default, 'must not have unknown fields')]
    : validateValue(schema.default, undefined, schema, path)
}

/** Validates the defaults of a schema and of all schemas of its properties and items. */
export const validateDefaults = (schema: JsonSchema, field: string): FieldError[] => [
  ...(schema.default === undefined ? [] : validateDefault(schema, field)),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    validateDefaults(property, `${field}.properties[${name}]`),
  ),
  ...(schema.items === undefined ? [] : validateDefaults(schema.items, `${field}.items`)),
]
