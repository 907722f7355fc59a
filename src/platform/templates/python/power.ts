/** Python's operator **. */
import { UnsupportedTemplate } from '../template-error.ts'
import { boundedInt, calculate, MAX_BITS, type Operation, zeroDivision } from './calculate.ts'
import { toFloat } from './value.ts'

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
