/** Python's truth of values: empty strings, lists and dictionaries, zero and None are false. */
import { TimeDelta } from './date-time.ts'
import { DictView, dictSize, isDict } from './dict.ts'
import { Undefined } from './undefined.ts'
import { Float, isString, plainCharactersOf, Range, Tuple } from './value.ts'

export const isTruthy = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value
  if (value === null || value === undefined) return false
  if (typeof value === 'number' || typeof value === 'bigint') return Boolean(value)
  if (isString(value)) return plainCharactersOf(value) !== ''
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Undefined) return value.isStrict ? value.fail() : false
  if (isDict(value)) return dictSize(value) > 0
  if (value instanceof Float) return value.value !== 0
  if (value instanceof Tuple) return value.items.length > 0
  if (value instanceof Range) return value.length > 0
  if (value instanceof DictView) return dictSize(value.dict) > 0
  return !(value instanceof TimeDelta) || value.microseconds !== 0
}
