/** Applies the defaults of a custom resource's schema. */
import { cloneJson, isPlainObject, memberOf, setMember } from '#kit'
import type { JsonSchema } from '#platform/kube/kinds'

/** A null in a field that is not nullable counts as missing. */
const isMissing = (value: unknown, schema: JsonSchema): boolean =>
  value === undefined || (value === null && schema.nullable !== true)

const defaultProperties = (object: Record<string, unknown>, schema: JsonSchema): void => {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && isMissing(memberOf(object, name), property)) {
      setMember(object, name, cloneJson(property.default))
    }
    const value = memberOf(object, name)
    if (value !== undefined) applyDefaults(value, property)
  }
}

/** Changes `value` in place. Does not create missing objects for the defaults inside them. */
export const applyDefaults = (value: unknown, schema: JsonSchema): void => {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return
    for (const item of value) applyDefaults(item, schema.items)
    return
  }
  if (!isPlainObject(value)) return
  defaultProperties(value, schema)
  const { additionalProperties: values } = schema
  if (typeof values !== 'object') return
  for (const [name, item] of Object.entries(value)) {
    if (values.default !== undefined && isMissing(item, values))
      setMember(value, name, cloneJson(values.default))
    applyDefaults(value[name], values)
  }
}
