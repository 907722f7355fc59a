/** Outcomes of the last two minutes by the second, and what was usual before: cheap to add to and to ask. */
import { percentileOf } from '../query/statistics.ts'

const SECONDS = 120
/** The first successes are of programs that have just started. */
const COLD = 5
/** So many after them tell what is usual; then it is settled. */
const BASELINE_COUNT = 40
/** So many will do where somebody knows that all is well. */
const LEAST_COUNT = 5
/** Slower than this over the usual is slow for users, whatever the usual is. */
const SLOWER_MS = 300
const SLOWER_FACTOR = 3

export interface Outcomes {
  readonly count: number
  readonly failed: number
  /** Those that took much longer than is usual; none until it is known what is usual. */
  readonly slow: number
}

export interface OutcomeWindow {
  add(time: number, outcome: { durationMs: number; failed: boolean }): void
  /** Of the last so many seconds. */
  within(now: number, seconds: number): Outcomes
  /** All is well: what has come since programs were warm is usual, if it is enough. */
  settle(): void
  /** What came is forgotten, what is usual is not. */
  forget(): void
  /** Milliseconds above which an outcome is slow; nothing while it is not known. */
  slowFrom(): number | undefined
}

interface Bucket {
  second: number
  count: number
  failed: number
  slow: number
}

export const createOutcomeWindow = (): OutcomeWindow => {
  const buckets: Bucket[] = Array.from({ length: SECONDS }, () => ({
    second: -1,
    count: 0,
    failed: 0,
    slow: 0,
  }))
  let usual: number[] | undefined = []
  let successes = 0
  let limit: number | undefined

  const settle = (least: number): void => {
    if (usual === undefined || usual.length < least) return
    const sorted = usual.toSorted((a, b) => a - b)
    const p95 = percentileOf(sorted, 0.95)!
    limit = Math.max(SLOWER_FACTOR * p95, p95 + SLOWER_MS)
    usual = undefined
  }
  const learn = (durationMs: number): void => {
    successes += 1
    if (successes > COLD) usual?.push(durationMs)
    settle(BASELINE_COUNT)
  }

  return {
    add(time, { durationMs, failed }) {
      const second = Math.floor(time / 1000)
      const bucket = buckets[second % SECONDS]!
      // What comes minutes late says nothing about now.
      if (bucket.second > second) return
      if (bucket.second < second) Object.assign(bucket, { second, count: 0, failed: 0, slow: 0 })
      bucket.count += 1
      if (failed) bucket.failed += 1
      if (limit !== undefined && durationMs > limit) bucket.slow += 1
      if (!failed) learn(durationMs)
    },
    within(now, seconds) {
      const last = Math.floor(now / 1000)
      let [count, failed, slow] = [0, 0, 0]
      for (let second = last - Math.min(seconds, SECONDS - 1); second <= last; second += 1) {
        const bucket = buckets[second % SECONDS]!
        if (bucket.second !== second) continue
        count += bucket.count
        failed += bucket.failed
        slow += bucket.slow
      }
      return { count, failed, slow }
    },
    settle: () => settle(LEAST_COUNT),
    forget() {
      for (const bucket of buckets) Object.assign(bucket, { count: 0, failed: 0, slow: 0 })
    },
    slowFrom: () => limit,
  }
}
