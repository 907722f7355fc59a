/** What a function of expressions is, and how its arguments are proved. */
import { ExpressionError, kindOf } from '../expression-error.ts'

export interface ExpressionFunction {
  readonly least: number
  readonly most: number
  readonly run: (...given: any[]) => unknown
}

/** By name. `f(a, b)` and `a.f(b)` are the same. */
export type ExpressionFunctions = Readonly<Record<string, ExpressionFunction>>

/** Takes from `least` to `most` arguments; exactly `least` where `most` is absent. */
export const defineFunction = (
  least: number,
  run: ExpressionFunction['run'],
  most: number = least,
): ExpressionFunction => ({ least, most, run })

const unfit = (name: string, expected: string, value: unknown): ExpressionError =>
  new ExpressionError(`${name}() needs ${expected}, got ${kindOf(value)}`)

export const text = (name: string, value: unknown): string => {
  if (typeof value !== 'string') throw unfit(name, 'text', value)
  return value
}

export const number = (name: string, value: unknown): number => {
  if (typeof value !== 'number') throw unfit(name, 'a number', value)
  return value
}

export const list = (name: string, value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw unfit(name, 'a list', value)
  return value
}

export const map = (name: string, value: unknown): Readonly<Record<string, unknown>> => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw unfit(name, 'a map', value)
  return value as Readonly<Record<string, unknown>>
}

/** What lies behind `a.b` (numbers are places in lists); undefined where anything on the way is missing. */
export const valueAt = (value: unknown, path: string): unknown => {
  let current = value
  for (const key of path.split('.')) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined
    current = (current as Readonly<Record<string, unknown>>)[key]
  }
  return current
}
