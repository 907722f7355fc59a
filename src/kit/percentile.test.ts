/** Tests percentiles of small lists of values. */
import { expect, it } from 'vitest'
import { percentile } from './percentile.ts'

const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

it.each([
  [TEN, 0, 1],
  [TEN, 0.5, 5],
  [TEN, 0.51, 6],
  [TEN, 0.9, 9],
  [TEN, 0.95, 10],
  [TEN, 1, 10],
  [[7], 0.5, 7],
])('the percentile of %j at %d is %s', (sorted, share, expected) => {
  expect(percentile(sorted, share)).toBe(expected)
})

it('the percentile of an empty list is undefined', () => {
  expect(percentile([], 0.5)).toBeUndefined()
})
