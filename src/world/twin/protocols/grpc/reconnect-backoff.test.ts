/** Tests the pauses between connection attempts. */
import { expect, test } from 'vitest'
import { createReconnectBackoff } from './reconnect-backoff.ts'

test('grows by the factor up to the maximum, and resets after a success', () => {
  const backoff = createReconnectBackoff(() => 0.5)
  expect([backoff.failed(), backoff.failed(), Math.round(backoff.failed())]).toEqual([1000, 1600, 2000])
  for (let failures = 0; failures < 20; failures++) backoff.failed()
  expect(backoff.failed()).toBe(2000)
  backoff.succeeded()
  expect(backoff.failed()).toBe(1000)
})

test('spreads the pauses by a fifth in both directions', () => {
  expect(createReconnectBackoff(() => 0).failed()).toBe(800)
  expect(createReconnectBackoff(() => 1).failed()).toBe(1200)
})
