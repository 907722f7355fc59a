/** Tests when, and how fast, a twin exceeds its memory limit. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { allocateFootprint } from './allocate-footprint.ts'

const KIB_PER_MIB = 1024

const runAllocation = async (
  footprintMiB: number | undefined,
  limitMiB: number,
  mayAllocate = () => true,
) => {
  let allocatedKib = 0
  let overLimitAfterMs: number | undefined
  const startedAt = Date.now()
  const allocate = (kib: number): boolean => {
    if (!mayAllocate()) return false
    allocatedKib += kib
    if (allocatedKib >= limitMiB * KIB_PER_MIB) overLimitAfterMs ??= Date.now() - startedAt
    return true
  }
  const stop = new AbortController()
  const allocation = allocateFootprint(footprintMiB, {
    limitKib: () => limitMiB * KIB_PER_MIB,
    allocate,
    signal: stop.signal,
  })
  await vi.advanceTimersByTimeAsync(5000)
  stop.abort()
  await vi.advanceTimersByTimeAsync(1000)
  await allocation
  return { allocatedMiB: Math.round(allocatedKib / KIB_PER_MIB), overLimitAfterMs }
}

describe('allocateFootprint', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

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
