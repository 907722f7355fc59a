/** Sorts items as `sorted(items, key=..., reverse=...)` does. */
import { spendItems } from '../work.ts'
import { order } from './compare.ts'

/** The sort is stable, also in reverse. */
export const sortBy = (
  items: readonly unknown[],
  keyOf: (item: unknown) => unknown,
  isReverse: boolean,
): unknown[] => {
  spendItems(items.length)
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  keyed.sort((a, b) => {
    const comparison = order(a.key, b.key)
    return isReverse ? -comparison : comparison
  })
  return keyed.map(({ item }) => item)
}
