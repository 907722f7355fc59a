/** Proves who outgrows a limit of memory, and how fast. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { outgrowLimit } from './outgrow-limit.ts'

const MIB = 1024

const grow = async (footprintMiB: number | undefined, limitMiB: number, mayTake = () => true) => {
  let takenKib = 0
  let overLimitAfterMs: number | undefined
  const began = Date.now()
  const take = (kib: number): boolean => {
    if (!mayTake()) return false
    takenKib += kib
    if (takenKib >= limitMiB * MIB) overLimitAfterMs ??= Date.now() - began
    return true
  }
  const stop = new AbortController()
  const grown = outgrowLimit(footprintMiB, { limitKib: () => limitMiB * MIB, take, signal: stop.signal })
  await vi.advanceTimersByTimeAsync(5000)
  stop.abort()
  await vi.advanceTimersByTimeAsync(1000)
  await grown
  return { takenMiB: Math.round(takenKib / MIB), overLimitAfterMs }
}

describe('a limit of memory', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is outgrown within two seconds where the original does not fit', async () => {
    const { takenMiB, overLimitAfterMs } = await grow(320, 200)
    expect(takenMiB).toBe(320)
    expect(overLimitAfterMs).toBeGreaterThanOrEqual(1000)
    expect(overLimitAfterMs).toBeLessThanOrEqual(2000)
  })

  it.each([
    ['no limit', 320, 0],
    ['a limit that it fits into', 320, 2000],
    ['a limit that it just fits into', 320, 320],
    ['no footprint', undefined, 10],
  ])('costs nothing with %s', async (_, footprintMiB, limitMiB) => {
    expect(await grow(footprintMiB, limitMiB)).toMatchObject({ takenMiB: 0 })
  })

  it('waits where the machine has nothing to spare, and stops when it is told to', async () => {
    let asked = 0
    const { takenMiB } = await grow(320, 200, () => ++asked > 100)
    expect(takenMiB).toBe(0)
    expect(asked).toBeGreaterThan(20)
    expect(asked).toBeLessThanOrEqual(51)
  })
})
