/** Counts outcomes per second over the last two minutes, and derives a latency limit from a baseline. */
import { percentileOf } from '../query/statistics.ts'

const WINDOW_SECONDS = 120
/** The first successes do not count for the baseline: programs have just started. */
const WARM_UP_COUNT = 5
/** Number of successes after which the baseline is fixed. */
const BASELINE_COUNT = 40
/** Number of successes that suffice if the caller states that the system is healthy. */
const MIN_BASELINE_COUNT = 5
/** An outcome is slow only if it exceeds the p95 of the baseline by at least this much. */
const MIN_SLOWDOWN_MS = 300
const SLOWDOWN_FACTOR = 3

export interface Outcomes {
  readonly count: number
  readonly failed: number
  /** Outcomes above the latency limit; 0 until the baseline is fixed. */
  readonly slow: number
}

export interface OutcomeWindow {
  add(time: number, outcome: { durationMs: number; failed: boolean }): void
  /** Counts over the last `seconds`. */
  within(now: number, seconds: number): Outcomes
  /** States that the system is healthy: fixes the baseline if there are enough successes. */
  fixBaseline(): void
  /** Drops the counts and keeps the baseline. */
  clear(): void
  /** The latency limit; undefined until the baseline is fixed. */
  slowAboveMs(): number | undefined
}

interface Bucket {
  second: number
  count: number
  failed: number
  slow: number
}

export const createOutcomeWindow = (): OutcomeWindow => {
  const buckets: Bucket[] = Array.from({ length: WINDOW_SECONDS }, () => ({
    second: -1,
    count: 0,
    failed: 0,
    slow: 0,
  }))
  /** Latencies collected for the baseline; undefined once it is fixed. */
  let latencies: number[] | undefined = []
  let successes = 0
  let limit: number | undefined

  const fixBaseline = (minCount: number): void => {
    if (latencies === undefined || latencies.length < minCount) return
    const sorted = latencies.toSorted((a, b) => a - b)
    const p95 = percentileOf(sorted, 0.95)!
    limit = Math.max(SLOWDOWN_FACTOR * p95, p95 + MIN_SLOWDOWN_MS)
    latencies = undefined
  }
  const addToBaseline = (durationMs: number): void => {
    successes += 1
    if (successes > WARM_UP_COUNT) latencies?.push(durationMs)
    fixBaseline(BASELINE_COUNT)
  }

  return {
    add(time, { durationMs, failed }) {
      const second = Math.floor(time / 1000)
      const bucket = buckets[second % WINDOW_SECONDS]!
      // Ignores an outcome that arrives minutes late.
      if (bucket.second > second) return
      if (bucket.second < second) Object.assign(bucket, { second, count: 0, failed: 0, slow: 0 })
      bucket.count += 1
      if (failed) bucket.failed += 1
      if (limit !== undefined && durationMs > limit) bucket.slow += 1
      if (!failed) addToBaseline(durationMs)
    },
    within(now, seconds) {
      const lastSecond = Math.floor(now / 1000)
      const firstSecond = lastSecond - Math.min(seconds, WINDOW_SECONDS - 1)
      let [count, failed, slow] = [0, 0, 0]
      for (let second = firstSecond; second <= lastSecond; second += 1) {
        const bucket = buckets[second % WINDOW_SECONDS]!
        if (bucket.second !== second) continue
        count += bucket.count
        failed += bucket.failed
        slow += bucket.slow
      }
      return { count, failed, slow }
    },
    fixBaseline: () => fixBaseline(MIN_BASELINE_COUNT),
    clear() {
      for (const bucket of buckets) Object.assign(bucket, { count: 0, failed: 0, slow: 0 })
    },
    slowAboveMs: () => limit,
  }
}
