/** Holds the one reading of quantities outside of `kube` to the API server's own, which is exact. */
import { describe, expect, it } from 'vitest'
import { readQuantity } from '../kube/meta/index.ts'
import { quantityValue } from './quantity-value.ts'

describe('the value of a quantity', () => {
  it.each([
    ...['0', '1', '+1', '1.5', '.5', '5.', '12345.678', '1e3', '1.5E2', '2e-3'],
    ...['7n', '250u', '100m', '333m', '2k', '64M', '1.5G', '3T', '4P', '1E'],
    ...['2Ki', '64Mi', '1.5Gi', '3Ti', '4Pi', '1Ei'],
    ...[0, 1, 0.25, 1e21],
  ])('of %j is what the API server takes it for', (written) => {
    const exact = Number(readQuantity(written)!.nano) / 1e9
    // As near as numbers come: a thousandth is none that they can hold.
    expect(Math.abs(quantityValue(written)! - exact)).toBeLessThanOrEqual(1e-12 * exact)
  })

  it.each(['', 'much', '1 Gi', '1KB', '1ki', '1e3Mi', '1.2.3', '0x10'])(
    'is nothing for %j, as for the server',
    (written) => {
      expect([quantityValue(written), readQuantity(written)]).toEqual([undefined, undefined])
    },
  )

  it('is nothing for what is below zero, only a unit, or no text', () => {
    expect(['-1', '-100m', 'Gi', undefined, null, true, Number.NaN].map(quantityValue)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    )
  })
})
