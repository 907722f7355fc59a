/** Compares `quantityValue` with the exact parser of the API server. */
import { describe, expect, it } from 'vitest'
import { parseQuantity } from '#platform/kube/meta'
import { quantityValue } from './quantity-value.ts'

describe('quantityValue', () => {
  it.each([
    ...['0', '1', '+1', '1.5', '.5', '5.', '12345.678', '1e3', '1.5E2', '2e-3'],
    ...['7n', '250u', '100m', '333m', '2k', '64M', '1.5G', '3T', '4P', '1E'],
    ...['2Ki', '64Mi', '1.5Gi', '3Ti', '4Pi', '1Ei'],
    ...[0, 1, 0.25, 1e21],
  ])('reads %j as the API server does', (quantity) => {
    const exact = Number(parseQuantity(quantity)!.nano) / 1e9
    // A thousandth has no exact floating-point value.
    expect(Math.abs(quantityValue(quantity)! - exact)).toBeLessThanOrEqual(1e-12 * exact)
  })

  it.each(['', 'much', '1 Gi', '1KB', '1ki', '1e3Mi', '1.2.3', '0x10'])(
    'returns undefined for %j, as the API server does',
    (quantity) => {
      expect([quantityValue(quantity), parseQuantity(quantity)]).toEqual([undefined, undefined])
    },
  )

  it('returns undefined for negative values, a unit alone, and other types', () => {
    expect(['-1', '-100m', 'Gi', undefined, null, true, Number.NaN].map(quantityValue)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    )
  })
})
