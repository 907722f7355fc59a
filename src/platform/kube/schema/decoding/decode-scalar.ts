/** Decodes scalar values as Go does, without type conversion. */

import type { ScalarSchema } from '../schema.ts'
import { type DecodeState, mismatch } from './decode-state.ts'
import { readGoBase64 } from './go-base64.ts'
import { readGoTime } from './go-time.ts'

const INTEGER_LIMITS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

export const decodeInteger = (value: unknown, format: string, goType: string, state: DecodeState): number => {
  if (typeof value !== 'number') throw mismatch(value, goType, format, state)
  const limit = INTEGER_LIMITS[format]!
  // As a double, the largest int64 rounds to 2^63.
  const tooLarge = format === 'int64' ? value > limit : value >= limit
  if (!Number.isInteger(value) || tooLarge || value < -limit) throw mismatch(value, goType, format, state)
  return value
}

const goKindOf = ({ type, format }: ScalarSchema): string => {
  if (format === 'byte') return 'slice'
  return type === 'boolean' ? 'bool' : type === 'number' ? 'float64' : type
}

export const decodeScalar = (
  schema: ScalarSchema,
  value: unknown,
  goType: string,
  state: DecodeState,
): unknown => {
  if (schema.type === 'integer') return decodeInteger(value, schema.format ?? 'int64', goType, state)
  if (schema.format === 'date-time') {
    if (typeof value !== 'string') throw mismatch(value, 'string', undefined, state)
    return readGoTime(value, schema.microseconds === true)
  }
  if (typeof value !== schema.type) throw mismatch(value, goType, goKindOf(schema), state)
  return schema.format === 'byte' ? readGoBase64(value as string) : value
}
