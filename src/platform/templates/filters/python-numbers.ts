/** Conversions to numbers, as `int()` and `float()` of Python do. */
import { numberOf } from '../python/calculate.ts'
import { parseFloatText } from '../python/parse-number.ts'
import { typeError } from '../python/python-error.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import {
  type Float,
  floatValue,
  intOf,
  isFloat,
  isInt,
  isNumeric,
  isString,
  plainCharactersOf,
  toFloat,
  toInt,
} from '../python/value.ts'

export const truncateFloat = (value: number): number | bigint => toInt(BigInt(Math.trunc(value)))

/** `float(value)`. */
export const toPythonFloat = (value: unknown): number | Float => {
  if (value instanceof Undefined) value.fail()
  if (isString(value)) return parseFloatText(plainCharactersOf(value))
  if (isNumeric(value)) return toFloat(numberOf(value))
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
}

/** `int(value)` of a value that is not a string. */
export const toPythonInt = (value: unknown): number | bigint => {
  if (value instanceof Undefined) value.fail()
  if (isInt(value) || typeof value === 'boolean') return intOf(value)
  if (isFloat(value)) return truncateFloat(floatValue(value))
  throw typeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  )
}
