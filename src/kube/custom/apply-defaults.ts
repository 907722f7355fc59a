/** Fills in the defaults of a custom resource's schema. */
import { cloneJson, isJsonObject, memberOf, setMember } from '../../kit/index.ts'
import type { JsonSchema } from '../kinds/index.ts'

/** Where null is no value of the field it counts as absent when there is a default to put in its place. */
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

/** Changes `value` in place. An object that is not there is not made for the sake of the defaults inside it. */
export const applyDefaults = (value: unknown, schema: JsonSchema): void => {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return
    for (const item of value) applyDefaults(item, schema.items)
    return
  }
  if (!isJsonObject(value)) return
  defaultProperties(value, schema)
  const { additionalProperties: values } = schema
  if (typeof values !== 'object') return
  for (const [name, item] of Object.entries(value)) {
    if (values.default !== undefined && isMissing(item, values))
      setMember(value, name, cloneJson(values.default))
    applyDefaults(value[name], values)
  }
}
