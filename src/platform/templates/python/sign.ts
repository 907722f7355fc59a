/** Python's unary operators - and +, and abs(). */
import { type Numeric, numberOf } from './calculate.ts'
import { TimeDelta } from './date-time.ts'
import { typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import { intOf, isFloat, isInt, isNumeric, toFloat, toInt } from './value.ts'

const unary = (symbol: string, value: unknown): Numeric => {
  if (value instanceof Undefined) value.fail()
  if (!isNumeric(value)) throw typeError(`bad operand type for unary ${symbol}: '${typeName(value)}'`)
  return value
}

export const negate = (value: unknown): unknown => {
  if (value instanceof TimeDelta) return new TimeDelta(-value.microseconds)
  const number = unary('-', value)
  if (isFloat(number)) return toFloat(-numberOf(number))
  return toInt(-BigInt(intOf(number)))
}

export const positive = (value: unknown): unknown => {
  const number = unary('+', value)
  return isInt(number) || typeof number === 'boolean' ? intOf(number) : number
}

export const absolute = (value: unknown): unknown => {
  if (value instanceof Undefined) value.fail()
  if (!isNumeric(value)) throw typeError(`bad operand type for abs(): '${typeName(value)}'`)
  if (isFloat(value)) return toFloat(Math.abs(numberOf(value)))
  const int = BigInt(intOf(value))
  return toInt(int < 0n ? -int : int)
}
