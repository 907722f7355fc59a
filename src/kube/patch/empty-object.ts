/** An API object before anything is set in it, as the real server's typed objects are. */
import type { ObjectSchema, Schema } from '../schema/index.ts'

/** Fields that Go writes even when nothing was set, though neither their schema nor their type says so. */
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
 * Structures that are part of their parent are there from the beginning, so that creating an object does not
 * make its creator own them; those that may be absent, and everything in lists, appear with their parent.
 */
const build = (schema: ObjectSchema): Record<string, unknown> => {
  const object: Record<string, unknown> = {}
  for (const [name, field] of schema.fields) {
    const filled = schema.goFields?.get(name)?.zero === 'fill'
    if (filled && field.type === 'object') object[name] = build(field)
    else if (filled || schema.required.includes(name)) object[name] = zeroOf(field)
    else if (name in ALWAYS_WRITTEN) object[name] = ALWAYS_WRITTEN[name]
  }
  return object
}

const built = new WeakMap<Schema, object>()

/** Custom resources have no typed form: they begin with nothing at all. */
export const emptyObject = (schema: Schema): object => {
  let object = built.get(schema)
  if (object === undefined) {
    object = schema.type === 'object' && schema.goFields !== undefined ? build(schema) : {}
    built.set(schema, object)
  }
  return object
}
