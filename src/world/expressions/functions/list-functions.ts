/** Functions on lists and numbers. */
import { ExpressionError } from '../expression-error.ts'
import { isSame } from '../operators.ts'
import {
  asList,
  asNumber,
  asText,
  defineFunction,
  type ExpressionFunctions,
  valueAt,
} from './define-function.ts'

const MAX_RANGE = 100_000

const asNumbers = (name: string, value: unknown): readonly number[] =>
  asList(name, value).map((item) => asNumber(name, item))

const findExtreme = (name: string, value: unknown, choose: (a: number, b: number) => number): number => {
  const [first, ...rest] = asNumbers(name, value)
  if (first === undefined) throw new ExpressionError(`${name}() got an empty list`)
  return rest.reduce((a, b) => choose(a, b), first)
}

const compare = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const left = String(a ?? '')
  const right = String(b ?? '')
  return left < right ? -1 : left > right ? 1 : 0
}

const range = (value: unknown): number[] => {
  const count = asNumber('range', value)
  if (count < 0 || count > MAX_RANGE)
    throw new ExpressionError(`range() takes 0 to ${MAX_RANGE}, got ${count}`)
  return Array.from({ length: Math.floor(count) }, (_, index) => index)
}

const round = (value: unknown, digits: unknown = 0): number => {
  const factor = 10 ** asNumber('round', digits)
  return Math.round((asNumber('round', value) + Number.EPSILON) * factor) / factor
}

const distinct = (value: unknown): unknown[] =>
  asList('distinct', value).filter(
    (item, index, all) => all.findIndex((earlier) => isSame(earlier, item)) === index,
  )

const slice = (value: unknown, from: unknown, to?: unknown): unknown => {
  const begin = asNumber('slice', from)
  const end = to === undefined ? undefined : asNumber('slice', to)
  return typeof value === 'string' ? value.slice(begin, end) : asList('slice', value).slice(begin, end)
}

const indexOf = (value: unknown, part: unknown): number =>
  typeof value === 'string'
    ? value.indexOf(asText('indexOf', part))
    : asList('indexOf', value).findIndex((item) => isSame(item, part))

export const LIST_FUNCTIONS: ExpressionFunctions = {
  sum: defineFunction(1, (items) => asNumbers('sum', items).reduce((total, item) => total + item, 0)),
  min: defineFunction(1, (items) => findExtreme('min', items, Math.min)),
  max: defineFunction(1, (items) => findExtreme('max', items, Math.max)),
  round: defineFunction(1, round, 2),
  floor: defineFunction(1, (value) => Math.floor(asNumber('floor', value))),
  ceil: defineFunction(1, (value) => Math.ceil(asNumber('ceil', value))),
  abs: defineFunction(1, (value) => Math.abs(asNumber('abs', value))),
  range: defineFunction(1, range),
  first: defineFunction(1, (items) => asList('first', items)[0] ?? null),
  last: defineFunction(1, (items) => asList('last', items).at(-1) ?? null),
  reverse: defineFunction(1, (items) => [...asList('reverse', items)].reverse()),
  sortBy: defineFunction(2, (items, key) =>
    [...asList('sortBy', items)].sort((a, b) => compare(valueAt(a, key), valueAt(b, key))),
  ),
  distinct: defineFunction(1, distinct),
  flatten: defineFunction(1, (items) => asList('flatten', items).flat(1)),
  slice: defineFunction(2, slice, 3),
  indexOf: defineFunction(2, indexOf),
  lookup: defineFunction(
    3,
    (items, key, value) => asList('lookup', items).find((item) => isSame(valueAt(item, key), value)) ?? null,
  ),
}
