/** Tests the model of the scheduler's bandwidth limit. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advanceCpu, type CpuSettings, createCpuAccount, predictEnd } from './cpu-account.ts'

const UNLIMITED: CpuSettings = { quotaMs: Number.POSITIVE_INFINITY, busyThreads: 0, speed: 1 }
const withQuota = (cores: number, busyThreads = 0): CpuSettings => ({
  quotaMs: cores * 100,
  busyThreads,
  speed: 1,
})

const endOf = (settings: CpuSettings, needMs: number, at = 0): number => {
  const account = createCpuAccount()
  advanceCpu(account, settings, at)
  account.remainingMs = needMs
  return predictEnd(account, settings)
}

describe('predictEnd', () => {
  it('runs at full speed without a limit, and within the quota', () => {
    expect(endOf(UNLIMITED, 250)).toBe(250)
    expect(endOf(withQuota(0.2), 15)).toBe(15)
    expect(endOf(withQuota(2), 500)).toBe(500)
  })

  it('waits for the next period when the quota is used', () => {
    expect(endOf(withQuota(0.2), 50)).toBeCloseTo(210)
    expect(endOf(withQuota(0.2), 20)).toBe(20)
    expect(endOf(withQuota(0.2), 50, 90)).toBeCloseTo(90 + 10 + 100 + 20)
  })

  it('shares the quota with other busy threads', () => {
    // One busy thread: both run for 10 ms, then wait for 90 ms.
    expect(endOf(withQuota(0.2, 1), 30)).toBeCloseTo(210)
    // The busy thread has used the quota before the program needs the CPU.
    expect(endOf(withQuota(0.2, 1), 5, 50)).toBeCloseTo(105)
    // The quota suffices for both.
    expect(endOf(withQuota(2, 1), 300)).toBeCloseTo(300)
  })

  it('takes longer on a node with too few cores', () => {
    expect(endOf({ ...UNLIMITED, speed: 0.25 }, 10)).toBe(40)
  })

  it('is the current time if no CPU time is needed', () => {
    expect(endOf(withQuota(0.2, 1), 0, 250)).toBe(250)
  })

  it('agrees with a simulation in small steps', () => {
    const cores = fc.constantFrom(0.01, 0.05, 0.3, 1, 2.5)
    const threads = fc.constantFrom(0, 0.5, 1, 8)
    const speeds = fc.constantFrom(0.3, 1)
    fc.assert(
      fc.property(cores, threads, speeds, fc.nat(400), fc.integer({ min: 1, max: 500 }), (...values) => {
        const [core, busyThreads, speed, start, need] = values
        const settings = { quotaMs: core * 100, busyThreads, speed }
        const account = createCpuAccount()
        advanceCpu(account, settings, start)
        account.remainingMs = need / 10
        const predicted = predictEnd(account, settings)
        for (let at = start; account.remainingMs > 0; at += 0.7) advanceCpu(account, settings, at)
        expect(account.at).toBeCloseTo(predicted, 4)
        expect(account.programMs).toBeCloseTo(need / 10, 4)
      }),
      { numRuns: 300 },
    )
  })
})

describe('advanceCpu', () => {
  it('counts used and throttled time, regardless of the size of the steps', () => {
    const settings = withQuota(0.5, 2)
    const [inOneStep, inManySteps] = [createCpuAccount(), createCpuAccount()]
    advanceCpu(inOneStep, settings, 10_000)
    for (let at = 7; at < 10_000; at += 7) advanceCpu(inManySteps, settings, at)
    advanceCpu(inManySteps, settings, 10_000)
    expect(inOneStep).toMatchObject({ totalMs: 5000, periods: 100, throttledPeriods: 100, programMs: 0 })
    expect(inOneStep.throttledMs).toBeCloseTo(7500)
    for (const key of ['totalMs', 'periods', 'throttledPeriods', 'throttledMs'] as const)
      expect(inManySteps[key]).toBeCloseTo(inOneStep[key])
  })

  it('counts a period in which a thread ran for a part of the time', () => {
    const account = createCpuAccount()
    for (const at of [10, 110, 150, 550]) {
      advanceCpu(account, withQuota(0.2), at)
      account.remainingMs = 5
      advanceCpu(account, withQuota(0.2), at + 5)
    }
    advanceCpu(account, withQuota(0.2), 1000)
    expect(account).toMatchObject({ periods: 3, throttledPeriods: 0, programMs: 20 })
  })

  it('does not count a period as throttled if the quota suffices exactly', () => {
    const account = createCpuAccount()
    account.remainingMs = 1000
    for (let at = 30; at <= 990; at += 30) advanceCpu(account, withQuota(1), at)
    expect(account).toMatchObject({ periods: 9, throttledPeriods: 0 })
  })

  it('counts no period while nothing runs', () => {
    const account = createCpuAccount()
    advanceCpu(account, withQuota(0.1), 1e9)
    expect(account).toMatchObject({ at: 1e9, periods: 0, totalMs: 0 })
  })

  it('stops when the program has received the CPU time that it needs', () => {
    const account = createCpuAccount()
    account.remainingMs = 30
    advanceCpu(account, UNLIMITED, 1000)
    expect(account).toMatchObject({ at: 30, remainingMs: 0, programMs: 30 })
    advanceCpu(account, UNLIMITED, 1000)
    expect(account.at).toBe(1000)
  })
})
