/** Calculates with integers and floats of Python. */
import { UnsupportedTemplate } from '../template-error.ts'
import { mayBeUnsafe } from '../work.ts'
import { PythonError, typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { checkDefined } from './undefined.ts'
import { Float, intOf, isFloat, isNumeric, isString, toFloat, toInt } from './value.ts'

export type Numeric = number | bigint | boolean | Float

export const MAX_BITS = 8192

export const boundedInt = (value: bigint): number | bigint => {
  if (value > 1n << BigInt(MAX_BITS) || value < -(1n << BigInt(MAX_BITS)))
    throw new UnsupportedTemplate(`numbers of more than ${MAX_BITS} bits`)
  return toInt(value)
}

/** Converts to a JavaScript number, for operations on floats. */
export const numberOf = (value: Numeric): number => {
  if (value instanceof Float) return value.value
  const number = Number(value)
  if (!Number.isFinite(number)) throw new PythonError('OverflowError', 'int too large to convert to float')
  return number
}

const unsupportedOperands = (operator: string, a: unknown, b: unknown): PythonError =>
  typeError(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`)

export const zeroDivision = (message: string): PythonError => new PythonError('ZeroDivisionError', message)

export interface Operation {
  readonly symbol: string
  ints(a: bigint, b: bigint): number | bigint | Float
  floats(a: number, b: number): number
}

export const calculate = ({ symbol, ints, floats }: Operation, a: unknown, b: unknown): unknown => {
  if (!isNumeric(a) || !isNumeric(b)) {
    checkDefined(a)
    checkDefined(b)
    if (isString(b) && (symbol === '+' || symbol === '%') && mayBeUnsafe())
      throw new UnsupportedTemplate(`${symbol} of a ${typeName(a)} and a text from outside the play`)
    throw unsupportedOperands(symbol, a, b)
  }
  if (isFloat(a) || isFloat(b)) return toFloat(floats(numberOf(a), numberOf(b)))
  return ints(BigInt(intOf(a)), BigInt(intOf(b)))
}
