/** Python's operators / // and %. */
import { UnsupportedTemplate } from '../template-error.ts'
import { boundedInt, calculate, type Operation, zeroDivision } from './calculate.ts'
import { formatPercent } from './format-percent.ts'
import { charactersOf, isString, toFloat } from './value.ts'

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
