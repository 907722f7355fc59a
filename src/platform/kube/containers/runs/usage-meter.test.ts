/** Tests the averaging window of the usage meter. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createUsageMeter } from './usage-meter.ts'

const createTestMeter = () => {
  const clock = createVirtualClock(1_000_000)
  const state = { cpuMs: 0, running: true }
  const running = () => (state.running ? [{ id: 'a', podUid: 'uid', container: { name: 'main' } }] : [])
  const meter = createUsageMeter({
    clock,
    allRunning: running,
    runningIn: running,
    startedAt: () => clock.now(),
    read: () => ({ cpuMs: state.cpuMs, memory: 7 }),
  })
  /** Simulates the usage of this many cores for a time. */
  const useCpu = (cores: number, seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      state.cpuMs += cores * 1000
      clock.advance(1000)
    }
  }
  return { meter, state, useCpu, mainUsage: () => meter.usageOf('uid').main }
}

it('averages over the last seconds, not since the start', () => {
  const { useCpu, mainUsage, meter } = createTestMeter()
  useCpu(0, 120)
  useCpu(0.5, 20)
  expect(mainUsage()!.cpu).toBeCloseTo(0.5)
  expect(mainUsage()).toMatchObject({ memory: 7 })
  expect(mainUsage()!.windowMs).toBeGreaterThanOrEqual(5000)
  expect(mainUsage()!.windowMs).toBeLessThanOrEqual(15_000)
  useCpu(0, 20)
  expect(mainUsage()!.cpu).toBe(0)
  meter.close()
})

it('does not depend on how often it is read', () => {
  const { useCpu, mainUsage, meter } = createTestMeter()
  useCpu(0.25, 30)
  expect(Array.from({ length: 20 }, () => mainUsage()!.cpu)).toEqual(Array.from({ length: 20 }, () => 0.25))
  meter.close()
})

it('omits containers that are not running, and resets after a restart', () => {
  const { useCpu, mainUsage, state, meter } = createTestMeter()
  useCpu(1, 30)
  state.running = false
  expect(mainUsage()).toBeUndefined()
  useCpu(0, 10)
  state.running = true
  useCpu(0, 20)
  expect(mainUsage()!.cpu).toBe(0)
  meter.close()
})
