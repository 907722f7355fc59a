/** Tests when, and how fast, a twin exceeds its memory limit. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock, runVirtually } from '#kit'
import { allocateFootprint } from './allocate-footprint.ts'

const BYTES_PER_MIB = 1024 * 1024

const runAllocation = (footprintMiB: number | undefined, limitMiB: number, mayAllocate = () => true) => {
  const clock = createVirtualClock()
  const startedAt = clock.now()
  const limitBytes = limitMiB * BYTES_PER_MIB
  let usedBytes = 0
  let overLimitAfterMs: number | undefined
  const memory = {
    limitBytes,
    usedBytes: () => usedBytes,
    allocate: (bytes: number) => {
      if (!mayAllocate()) return undefined
      usedBytes += bytes
      if (usedBytes >= limitBytes) overLimitAfterMs ??= clock.now() - startedAt
      return () => {}
    },
  }
  const time = {
    now: clock.now,
    monotonic: clock.now,
    after: (ms: number, task: () => void) => clock.after(ms, task).cancel,
  }
  const stop = new AbortController()
  clock.after(5000, () => stop.abort())
  return runVirtually(clock, async () => {
    await allocateFootprint(footprintMiB, { time, memory }, stop.signal)
    return { allocatedMiB: Math.round(usedBytes / BYTES_PER_MIB), overLimitAfterMs }
  })
}

describe('allocateFootprint', () => {
  it('exceeds a memory limit below the footprint within two seconds', async () => {
    const { allocatedMiB, overLimitAfterMs } = await runAllocation(320, 200)
    expect(allocatedMiB).toBe(320)
    expect(overLimitAfterMs).toBeGreaterThanOrEqual(1000)
    expect(overLimitAfterMs).toBeLessThanOrEqual(2000)
  })

  it.each([
    ['no limit', 320, 0],
    ['a larger limit', 320, 2000],
    ['an equal limit', 320, 320],
    ['no footprint', undefined, 10],
  ])('allocates nothing with %s', async (_, footprintMiB, limitMiB) => {
    expect(await runAllocation(footprintMiB, limitMiB)).toMatchObject({ allocatedMiB: 0 })
  })

  it('waits while the machine has no memory to spare, and stops on abort', async () => {
    let attempts = 0
    const { allocatedMiB } = await runAllocation(320, 200, () => ++attempts > 100)
    expect(allocatedMiB).toBe(0)
    expect(attempts).toBeGreaterThan(20)
    expect(attempts).toBeLessThanOrEqual(51)
  })
})
