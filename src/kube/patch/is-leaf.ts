/** Where apply stops looking into a value: scalars, what is replaced as a whole, and what is not as described. */
import type { Schema } from '../schema/index.ts'
import { isPlainObject } from './plain-object.ts'

/** Whether values of this schema are owned and replaced as a whole. */
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

const fits = (schema: Schema, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (schema.type === 'list' ? Array.isArray(value) : isPlainObject(value))

/** Whether there is nothing in it. */
export const isHollow = (value: unknown): boolean => {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

/** Whether the value is owned as a whole, or is not what its schema says and cannot be taken apart. */
export const isWhole = (schema: Schema, value: unknown): boolean => isAtomic(schema) || !fits(schema, value)

/** Whether the two values are compared and merged as wholes; two empty ones are, to keep null and empty apart. */
export const isLeaf = (schema: Schema, a: unknown, b: unknown): boolean =>
  isWhole(schema, a) || isWhole(schema, b) || (isHollow(a) && isHollow(b))
