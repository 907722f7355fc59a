/** Decides where apply stops descending: at scalars, atomic values, and values that do not match their schema. */
import { isPlainObject } from '#kit'
import type { Schema } from '#platform/kube/schema'

/** Whether values of this schema are owned and replaced as one. */
const isAtomic = (schema: Schema): boolean => {
  switch (schema.type) {
    case 'object':
    case 'map':
      return schema.atomic === true
    case 'list':
      return schema.merge === 'atomic'
    default:
      return true
  }
}

const matchesShape = (schema: Schema, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (schema.type === 'list' ? Array.isArray(value) : isPlainObject(value))

/** Whether the value is null, undefined or an empty container. */
export const isEmptyValue = (value: unknown): boolean => {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

/** Whether the value is owned as one, because it is atomic or does not match its schema. */
export const isWhole = (schema: Schema, value: unknown): boolean =>
  isAtomic(schema) || !matchesShape(schema, value)

/** Whether two values are compared and merged as one. Two empty values are, so that null differs from `{}`. */
export const isLeaf = (schema: Schema, a: unknown, b: unknown): boolean =>
  isWhole(schema, a) || isWhole(schema, b) || (isEmptyValue(a) && isEmptyValue(b))
