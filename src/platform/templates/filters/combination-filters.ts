/** The filters that combine items to tuples: zip, product, combinations and permutations. */
import type { Plugin } from '../compile/plugins.ts'
import { iterate } from '../python/iterate.ts'
import { typeError, valueError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { Tuple } from '../python/value.ts'
import { spendItems } from '../work.ts'
import { countArgument } from './define-filter.ts'

export const zip: Plugin = (_, value, args, keywords) => {
  const isStrict = isTruthy(keywords.get('strict') ?? false)
  for (const name of keywords.keys())
    if (name !== 'strict') throw typeError(`zip() got an unexpected keyword argument '${name}'`)
  const lists = [value, ...args].map(iterate)
  const length = Math.min(...lists.map((list) => list.length))
  if (isStrict && lists.some((list) => list.length !== length))
    throw valueError('zip() arguments differ in length')
  return Array.from({ length }, (__, index) => new Tuple(lists.map((list) => list[index])))
}

export const zipLongest: Plugin = (_, value, args, keywords) => {
  for (const name of keywords.keys())
    if (name !== 'fillvalue') throw typeError('zip_longest() got an unexpected keyword argument')
  const lists = [value, ...args].map(iterate)
  const fill = keywords.get('fillvalue') ?? null
  const length = Math.max(...lists.map((list) => list.length))
  return Array.from(
    { length },
    (__, index) => new Tuple(lists.map((list) => (index < list.length ? list[index] : fill))),
  )
}

export const product: Plugin = (_, value, args, keywords) => {
  for (const name of keywords.keys())
    if (name !== 'repeat') throw typeError(`'${name}' is an invalid keyword argument for product()`)
  const repeat = keywords.has('repeat') ? countArgument(keywords.get('repeat')) : 1
  if (repeat < 0) throw valueError('repeat argument cannot be negative')
  const lists = [value, ...args].map(iterate)
  let tuples: unknown[][] = [[]]
  for (let round = 0; round < repeat; round += 1)
    for (const list of lists) {
      spendItems(tuples.length * list.length)
      tuples = tuples.flatMap((tuple) => list.map((item) => [...tuple, item]))
    }
  return tuples.map((tuple) => new Tuple(tuple))
}

/** Tuples of `size` items: in all orders, or in the order of the list. */
export const arrangements = (items: readonly unknown[], size: number, isOrdered: boolean): unknown[][] => {
  if (size < 0) throw valueError('r must be non-negative')
  let chosen: number[][] = [[]]
  for (let round = 0; round < size; round += 1) {
    spendItems(chosen.length * items.length)
    chosen = chosen.flatMap((indices) =>
      items
        .map((_, index) => index)
        .filter((index) => (isOrdered ? index > (indices.at(-1) ?? -1) : !indices.includes(index)))
        .map((index) => [...indices, index]),
    )
  }
  return chosen.map((indices) => indices.map((index) => items[index]))
}
