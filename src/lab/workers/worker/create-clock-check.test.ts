/** Tests that clock jumps are detected. */
import { afterEach, expect, it, vi } from 'vitest'
import { createClockCheck } from './create-clock-check.ts'

const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

it.each([1500, -1500])('throws if the clock jumped by %i ms', (jump) => {
  let drift = 300
  const check = createClockCheck(() => drift)
  expect(check).not.toThrow()
  drift += jump
  expect(check).toThrow(expect.objectContaining({ code: 'clock-jumped', blame: 'harness' }))
})

it('tolerates clocks that drift', () => {
  let drift = 0
  const check = createClockCheck(() => drift)
  drift = 900
  expect(check).not.toThrow()
})

it('reads the clock of the machine', () => {
  const check = createClockCheck()
  expect(check).not.toThrow()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - HOUR_MS })
  expect(check).toThrow('The clock of this machine has jumped by -3')
})
