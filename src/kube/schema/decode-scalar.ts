/** Decodes single values as Go does: nothing is converted from one type to another. */
import { jsonType, mismatch, type Walk } from './decode-walk.ts'
import { readGoBase64 } from './go-base64.ts'
import { readGoTime } from './go-time.ts'
import type { ScalarSchema } from './schema.ts'

const INTEGER_LIMITS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

export const decodeInteger = (value: unknown, format: string, goType: string, walk: Walk): number => {
  if (typeof value !== 'number') throw mismatch(jsonType(value), goType, walk)
  const limit = INTEGER_LIMITS[format]!
  // 2^63 itself is where the largest int64 lands as a double
  const tooLarge = format === 'int64' ? value > limit : value >= limit
  if (!Number.isInteger(value) || tooLarge || value < -limit) throw mismatch(`number ${value}`, goType, walk)
  return value
}

export const decodeScalar = (schema: ScalarSchema, value: unknown, goType: string, walk: Walk): unknown => {
  if (schema.type === 'integer') return decodeInteger(value, schema.format ?? 'int64', goType, walk)
  if (schema.format === 'date-time') {
    if (typeof value !== 'string') throw mismatch(jsonType(value), 'string', walk)
    return readGoTime(value, schema.microseconds === true)
  }
  if (typeof value !== schema.type) throw mismatch(jsonType(value), goType, walk)
  return schema.format === 'byte' ? readGoBase64(value as string) : value
}
