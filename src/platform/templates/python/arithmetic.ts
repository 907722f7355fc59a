/** Python's operators + - * on numbers, strings, lists and dates. */
import { boundedInt, calculate, type Operation } from './calculate.ts'
import { DateTime, TimeDelta } from './date-time.ts'
import { typeError } from './python-error.ts'
import { concatenate, isConcatenable, repeat } from './sequence-arithmetic.ts'
import { typeName } from './type-name.ts'
import { checkDefined } from './undefined.ts'
import { indexOf } from './value.ts'

const areSmall = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)

const ADD: Operation = { symbol: '+', ints: (a, b) => boundedInt(a + b), floats: (a, b) => a + b }

const SUBTRACT: Operation = { symbol: '-', ints: (a, b) => boundedInt(a - b), floats: (a, b) => a - b }

const MULTIPLY: Operation = { symbol: '*', ints: (a, b) => boundedInt(a * b), floats: (a, b) => a * b }

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

export const multiply = (a: unknown, b: unknown): unknown => {
  checkDefined(a)
  checkDefined(b)
  const [sequence, factor] = isConcatenable(a) ? [a, b] : [b, a]
  if (!isConcatenable(sequence)) return calculate(MULTIPLY, a, b)
  const count = indexOf(factor)
  if (count === undefined) throw typeError(`can't multiply sequence by non-int of type '${typeName(factor)}'`)
  return repeat(sequence, count)
}
