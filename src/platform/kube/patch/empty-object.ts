/** Builds the object that kube-apiserver gets by encoding an empty Go struct of a type. */
import type { ObjectSchema, Schema } from '#platform/kube/schema'

/** Fields that Go always writes, although neither the schema nor the Go type implies it. */
const ALWAYS_WRITTEN: Readonly<Record<string, unknown>> = {
  creationTimestamp: null,
  eventTime: null,
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: '',
  reportingInstance: '',
}

const zeroOf = (schema: Schema): unknown => {
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? null : ''
    case 'integer':
    case 'number':
    case 'int-or-string':
      return 0
    case 'boolean':
      return false
    case 'quantity':
      return '0'
    default:
      return null
  }
}

/**
 * Includes the structs that are embedded by value, so that the creator of an object does not own them. Pointers and
 * list elements are left out.
 */
const buildObject = (schema: ObjectSchema): Record<string, unknown> => {
  const object: Record<string, unknown> = {}
  for (const [name, field] of schema.fields) {
    const isFilled = schema.goFields?.get(name)?.zero === 'fill'
    if (isFilled && field.type === 'object') object[name] = buildObject(field)
    else if (isFilled || schema.required.includes(name)) object[name] = zeroOf(field)
    else if (name in ALWAYS_WRITTEN) object[name] = ALWAYS_WRITTEN[name]
  }
  return object
}

const cache = new WeakMap<Schema, object>()

/** Returns the empty object of a schema. It is `{}` for custom resources, which have no Go type. */
export const emptyObject = (schema: Schema): object => {
  let object = cache.get(schema)
  if (object === undefined) {
    object = schema.type === 'object' && schema.goFields !== undefined ? buildObject(schema) : {}
    cache.set(schema, object)
  }
  return object
}
