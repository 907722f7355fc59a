/** Python's operators on numbers, strings, lists and dates. */
import { UnsupportedTemplate } from '../template-error.ts'
import { mayBeUnsafe, spendItems, spendText } from '../work.ts'
import { DateTime, TimeDelta } from './date-time.ts'
import { formatPercent } from './format-percent.ts'
import { PythonError, typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { checkDefined, Undefined } from './undefined.ts'
import {
  charactersOf,
  Float,
  indexOf,
  intOf,
  isFloat,
  isInt,
  isNumeric,
  isString,
  Tuple,
  toFloat,
  toInt,
} from './value.ts'

type Numeric = number | bigint | boolean | Float

const MAX_BITS = 8192

const boundedInt = (value: bigint): number | bigint => {
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

const zeroDivision = (message: string): PythonError => new PythonError('ZeroDivisionError', message)

interface Operation {
  readonly symbol: string
  ints(a: bigint, b: bigint): number | bigint | Float
  floats(a: number, b: number): number
}

const calculate = ({ symbol, ints, floats }: Operation, a: unknown, b: unknown): unknown => {
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

const areSmall = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)

const ADD: Operation = { symbol: '+', ints: (a, b) => boundedInt(a + b), floats: (a, b) => a + b }
const SUBTRACT: Operation = { symbol: '-', ints: (a, b) => boundedInt(a - b), floats: (a, b) => a - b }
const MULTIPLY: Operation = { symbol: '*', ints: (a, b) => boundedInt(a * b), floats: (a, b) => a * b }

const concatenate = (a: unknown, b: unknown): unknown => {
  if (isString(a)) {
    if (!isString(b)) throw typeError(`can only concatenate str (not "${typeName(b)}") to str`)
    const text = charactersOf(a) + charactersOf(b)
    spendText(text.length)
    return text
  }
  const [left, right] = [a, b].map((side) => (side instanceof Tuple ? side.items : (side as unknown[])))
  const isSameType = Array.isArray(a) ? Array.isArray(b) : b instanceof Tuple
  if (!isSameType)
    throw typeError(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`)
  spendItems(left!.length + right!.length)
  const items = [...left!, ...right!]
  return Array.isArray(a) ? items : new Tuple(items)
}

const isConcatenable = (value: unknown): boolean =>
  isString(value) || Array.isArray(value) || value instanceof Tuple

export const add = (a: unknown, b: unknown): unknown => {
  if (areSmall(a, b) && Number.isSafeInteger((a as number) + (b as number)))
    return (a as number) + (b as number)
  checkDefined(a)
  checkDefined(b)
  if (isConcatenable(a)) return concatenate(a, b)
  if (a instanceof DateTime && b instanceof TimeDelta) return new DateTime(a.microseconds + b.microseconds)
  if (a instanceof TimeDelta && b instanceof DateTime) return new DateTime(a.microseconds + b.microseconds)
  return calculate(ADD, a, b)
}

export const subtract = (a: unknown, b: unknown): unknown => {
  if (a instanceof DateTime && b instanceof DateTime) return new TimeDelta(a.microseconds - b.microseconds)
  if (a instanceof DateTime && b instanceof TimeDelta) return new DateTime(a.microseconds - b.microseconds)
  return calculate(SUBTRACT, a, b)
}

const repeat = (value: unknown, times: number): unknown => {
  const count = Math.max(0, times)
  if (isString(value)) {
    const text = charactersOf(value)
    spendText(text.length * count)
    return text.repeat(count)
  }
  const items = value instanceof Tuple ? value.items : (value as unknown[])
  spendItems(items.length * count)
  const repeated = Array.from({ length: items.length * count }, (_, index) => items[index % items.length])
  return Array.isArray(value) ? repeated : new Tuple(repeated)
}

export const multiply = (a: unknown, b: unknown): unknown => {
  checkDefined(a)
  checkDefined(b)
  const [sequence, factor] = isConcatenable(a) ? [a, b] : [b, a]
  if (!isConcatenable(sequence)) return calculate(MULTIPLY, a, b)
  const count = indexOf(factor)
  if (count === undefined) throw typeError(`can't multiply sequence by non-int of type '${typeName(factor)}'`)
  return repeat(sequence, count)
}

const DIVIDE: Operation = {
  symbol: '/',
  ints(a, b) {
    if (b === 0n) throw zeroDivision('division by zero')
    const [left, right] = [Number(a), Number(b)]
    if (BigInt(left) !== a || BigInt(right) !== b)
      throw new UnsupportedTemplate('division of numbers above 2^53')
    return toFloat(left / right)
  },
  floats(a, b) {
    if (b === 0) throw zeroDivision('float division by zero')
    return a / b
  },
}

export const divide = (a: unknown, b: unknown): unknown => calculate(DIVIDE, a, b)

/** The result has the sign of the divisor. */
const floatModulo = (a: number, b: number): number => {
  const rest = a % b
  if (rest === 0) return b < 0 ? -0 : 0
  return b < 0 === rest < 0 ? rest : rest + b
}

const floatFloor = (a: number, b: number): number => {
  const rest = a % b
  const quotient = (a - rest) / b - (rest !== 0 && b < 0 !== rest < 0 ? 1 : 0)
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0
  const floor = Math.floor(quotient)
  return quotient - floor > 0.5 ? floor + 1 : floor
}

const intFloor = (a: bigint, b: bigint): bigint => {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

const FLOOR_DIVIDE: Operation = {
  symbol: '//',
  ints(a, b) {
    if (b === 0n) throw zeroDivision('integer division or modulo by zero')
    return boundedInt(intFloor(a, b))
  },
  floats(a, b) {
    if (b === 0) throw zeroDivision('float floor division by zero')
    return floatFloor(a, b)
  },
}

export const floorDivide = (a: unknown, b: unknown): unknown => calculate(FLOOR_DIVIDE, a, b)

const MODULO: Operation = {
  symbol: '%',
  ints(a, b) {
    if (b === 0n) throw zeroDivision('integer modulo by zero')
    return boundedInt(a - intFloor(a, b) * b)
  },
  floats(a, b) {
    if (b === 0) throw zeroDivision('float modulo')
    return floatModulo(a, b)
  },
}

export const modulo = (a: unknown, b: unknown): unknown =>
  isString(a) ? formatPercent(charactersOf(a), b) : calculate(MODULO, a, b)

/** Other powers are rounded differently by the C library. */
const floatPower = (a: number, b: number): number => {
  const result = a ** b
  const isExact = Number.isInteger(result) && Number.isInteger(a) && Math.abs(result) < 2 ** 53
  if (a === 0 && b < 0) throw zeroDivision('0.0 cannot be raised to a negative power')
  if (isExact || b === 0 || b === 1 || (b === -1 && a !== 0)) return b === -1 ? 1 / a : result
  if (b === 2) return a * a
  throw new UnsupportedTemplate('powers that are not whole numbers')
}

const POWER: Operation = {
  symbol: '** or pow()',
  ints(a, b) {
    if (b < 0n) return toFloat(floatPower(Number(a), Number(b)))
    const bits = BigInt(a.toString(2).length) * b
    if (bits > BigInt(MAX_BITS)) throw new UnsupportedTemplate(`numbers of more than ${MAX_BITS} bits`)
    return boundedInt(a ** b)
  },
  floats: floatPower,
}

export const power = (a: unknown, b: unknown): unknown => calculate(POWER, a, b)

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
