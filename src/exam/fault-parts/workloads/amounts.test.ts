/** Tests the multiplication of amounts. */
import { expect, it } from 'vitest'
import { multiplyAmount } from './amounts.ts'

it.each([
  ['300m', 10, '3000m'],
  ['64Mi', 2, '128Mi'],
  ['1.5Gi', 2, '3Gi'],
  ['0.5', 10, '5'],
  [1, 10, '10'],
])('multiplies %j by %d and keeps the unit', (amount, factor, expected) => {
  expect(multiplyAmount(amount, factor)).toBe(expected)
})
