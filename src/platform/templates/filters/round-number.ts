/** The filter round. */
import { multiply } from '../python/arithmetic.ts'
import { numberOf } from '../python/calculate.ts'
import { divide } from '../python/division.ts'
import { roundFloat } from '../python/float-text.ts'
import { power } from '../python/power.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import {
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
import { countArgument } from './define-filter.ts'

const roundInt = (value: number | bigint, digits: number): number | bigint => {
  if (digits >= 0) return value
  const unit = 10n ** BigInt(Math.min(-digits, 400))
  const size = BigInt(value < 0 ? -value : value)
  const rest = size % unit
  const isUp = rest * 2n > unit || (rest * 2n === unit && (size / unit) % 2n === 1n)
  const rounded = size - rest + (isUp ? unit : 0n)
  return toInt(value < 0 ? -rounded : rounded)
}

const roundCommon = (value: unknown, digits: number): unknown => {
  if (isFloat(value)) return toFloat(roundFloat(floatValue(value), digits))
  if (isInt(value) || typeof value === 'boolean') return roundInt(intOf(value), digits)
  throw typeError(`type ${typeName(value)} doesn't define __round__ method`)
}

export const round = (value: unknown, precision: unknown, method: unknown): unknown => {
  const name = isString(method) ? plainCharactersOf(method) : ''
  if (!['common', 'ceil', 'floor'].includes(name))
    throw new PythonError('FilterArgumentError', 'method must be common, ceil or floor')
  if (value instanceof Undefined) value.fail()
  if (name === 'common') return roundCommon(value, countArgument(precision))
  const unit = power(10, precision)
  const scaled = multiply(value, unit)
  if (!isNumeric(scaled)) throw typeError(`must be real number, not ${typeName(scaled)}`)
  const rounded = name === 'ceil' ? Math.ceil(numberOf(scaled)) : Math.floor(numberOf(scaled))
  return divide(toInt(BigInt(rounded)), unit)
}
