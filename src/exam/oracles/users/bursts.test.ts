/** Tests how runs of journeys are divided into parts of a window. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { JourneyRun } from '../view/episode-view.ts'
import { waitsInBursts } from './bursts.ts'

const BASELINE = { journey: 'buy', runs: 40, failures: 0, p50: 2, p95: 5 }

/** Consecutive runs since `from`; every third one is slow. */
const toRuns = (from: number, slowMs: number): JourneyRun[] => {
  const runs: JourneyRun[] = []
  let startedAt = from - 0.3
  for (let index = 0; startedAt < from + 2500; index += 1) {
    const latencyMs = index % 3 === 0 ? slowMs : 2.1
    runs.push({ startedAt, endedAt: startedAt + latencyMs, latencyMs })
    startedAt += latencyMs
  }
  return runs
}

describe('waitsInBursts', () => {
  it('decides at every time, although the sums of times are not exact', () => {
    const random = createRandom('bursts')
    for (let index = 0; index < 2000; index += 1) {
      // A third is not a sum of powers of two, so that adding to it rounds.
      const from = (1e5 * random.next()) / 3
      const window = { from, to: from + 2000 + 500 * random.next() }
      expect(waitsInBursts(toRuns(from, 40 + 30 * random.next()), BASELINE, window)).toBe(true)
      expect(waitsInBursts(toRuns(from, 3), BASELINE, window)).toBe(false)
    }
  })

  it('counts the waiting of one long run in every part of the window', () => {
    const long: JourneyRun = { startedAt: 0, endedAt: 2400, latencyMs: 2400 }
    const short = [100, 600, 1100, 1600].flatMap((start) =>
      [0, 50, 100].map((offset) => ({
        startedAt: start + offset,
        endedAt: start + offset + 40,
        latencyMs: 40,
      })),
    )
    const window = { from: 0, to: 2000 }
    expect(waitsInBursts([long, ...short], BASELINE, window)).toBe(true)
    expect(waitsInBursts([long], BASELINE, window)).toBe(false)
  })
})
