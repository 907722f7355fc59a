/** Defines functions for expressions, and checks their arguments. */
import { ExpressionError, kindOf } from '../expression-error.ts'

/** The sources of time and randomness, so that the same seed yields the same values. */
export interface ExpressionSources {
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly uuid: () => string
  /** The key that token() signs with. */
  readonly tokenKey?: (() => string) | undefined
  /** Replaces the computation of slowHash(), for a program whose CPU time is modelled. */
  readonly slowHash?: (text: string) => string
}

export interface ExpressionFunction {
  readonly minArguments: number
  readonly maxArguments: number
  /** Whether the first argument of `run` is the sources of the evaluation; it does not count as an argument. */
  readonly needsSources: boolean
  readonly run: (...args: any[]) => unknown
}

/** By name. `f(a, b)` and `a.f(b)` are equivalent. */
export type ExpressionFunctions = Readonly<Record<string, ExpressionFunction>>

/** Accepts from `minArguments` to `maxArguments` arguments; exactly `minArguments` by default. */
export const defineFunction = (
  minArguments: number,
  run: ExpressionFunction['run'],
  maxArguments: number = minArguments,
): ExpressionFunction => ({ minArguments, maxArguments, needsSources: false, run })

/** Accepts exactly `count` arguments, after the sources. */
export const defineSourceFunction = (
  count: number,
  run: (sources: ExpressionSources, ...args: any[]) => unknown,
): ExpressionFunction => ({ minArguments: count, maxArguments: count, needsSources: true, run })

const wrongType = (name: string, expected: string, value: unknown): ExpressionError =>
  new ExpressionError(`${name}() needs ${expected}, got ${kindOf(value)}`)

/** Returns an argument of the function `name`; throws if it is not text. */
export const asText = (name: string, value: unknown): string => {
  if (typeof value !== 'string') throw wrongType(name, 'text', value)
  return value
}

export const asNumber = (name: string, value: unknown): number => {
  if (typeof value !== 'number') throw wrongType(name, 'a number', value)
  return value
}

export const asList = (name: string, value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw wrongType(name, 'a list', value)
  return value
}

export const asMap = (name: string, value: unknown): Readonly<Record<string, unknown>> => {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw wrongType(name, 'a map', value)
  return value as Readonly<Record<string, unknown>>
}

/** Returns the value at a path such as `a.b.0`; undefined if any part of it is missing. */
export const valueAt = (value: unknown, path: string): unknown => {
  let current = value
  for (const key of path.split('.')) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined
    current = (current as Readonly<Record<string, unknown>>)[key]
  }
  return current
}
