/** Tests the rank correlation: order, ties, and lists without one. */
import { expect, it } from 'vitest'
import { rankCorrelation } from './rank-correlation.ts'

const correlate = (one: readonly number[], other: readonly number[]): number | undefined =>
  rankCorrelation(one.map((value, index) => [value, other[index]!] as const))

it('compares the order, not the scale', () => {
  expect(correlate([1, 2, 3, 4], [10, 200, 3000, 40_000])).toBeCloseTo(1)
  expect(correlate([1, 2, 3, 4], [4, 3, 2, 1])).toBeCloseTo(-1)
})

it('gives equal values the mean of their ranks', () => {
  // Ranks 0.5, 0.5, 2, 3 and 0, 1, 2, 3.
  expect(correlate([1, 1, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5))
})

it('is undefined for few pairs and for equal values', () => {
  expect(correlate([1, 2], [1, 2])).toBeUndefined()
  expect(correlate([1, 1, 1], [1, 2, 3])).toBeUndefined()
})
