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
  /** Whether an outcome of the last two minutes failed or was slow. */
  hasTrouble(now: number): boolean
  /** States that the system is healthy: fixes the baseline if there are enough successes. */
  fixBaseline(): void
  /** Drops the counts and keeps the baseline. */
  clear(): void
  /** The latency limit; undefined until the baseline is fixed. */
  slowAboveMs(): number | undefined
  snapshot(): OutcomeWindowState
}

/** The content of a window as data. */
export interface OutcomeWindowState {
  /** Four numbers per second: the second, and the outcomes, failures and slow outcomes in it. */
  readonly buckets: Float64Array
  /** The last second with a failure or a slow outcome. */
  lastTrouble: number
  /** Latencies collected for the baseline; undefined once it is fixed. */
  latencies: number[] | undefined
  successes: number
  limit: number | undefined
}

/** Offsets in a bucket. */
const [SECOND, COUNT, FAILED, SLOW] = [0, 1, 2, 3]
const BUCKET_LENGTH = 4
/** The second of an empty bucket. */
const NO_SECOND = -1

const newState = (): OutcomeWindowState => ({
  buckets: new Float64Array(WINDOW_SECONDS * BUCKET_LENGTH).fill(NO_SECOND),
  lastTrouble: Number.NEGATIVE_INFINITY,
  latencies: [],
  successes: 0,
  limit: undefined,
})

const copyOf = (state: OutcomeWindowState): OutcomeWindowState => ({
  ...state,
  buckets: state.buckets.slice(),
  latencies: state.latencies?.slice(),
})

const fixBaseline = (state: OutcomeWindowState, minCount: number): void => {
  const { latencies } = state
  if (latencies === undefined || latencies.length < minCount) return
  const sorted = latencies.toSorted((a, b) => a - b)
  const p95 = percentileOf(sorted, 0.95)!
  state.limit = Math.max(SLOWDOWN_FACTOR * p95, p95 + MIN_SLOWDOWN_MS)
  state.latencies = undefined
}

const addToBaseline = (state: OutcomeWindowState, durationMs: number): void => {
  state.successes += 1
  if (state.successes > WARM_UP_COUNT) state.latencies?.push(durationMs)
  fixBaseline(state, BASELINE_COUNT)
}

/** Continues from a snapshot if one is given. */
export const createOutcomeWindow = (from?: OutcomeWindowState): OutcomeWindow => {
  const state = from === undefined ? newState() : copyOf(from)
  const { buckets } = state
  return {
    add(time, { durationMs, failed }) {
      const second = Math.floor(time / 1000)
      const bucket = (second % WINDOW_SECONDS) * BUCKET_LENGTH
      // Ignores an outcome that arrives minutes late.
      if (buckets[bucket + SECOND]! > second) return
      if (buckets[bucket + SECOND]! < second) {
        buckets[bucket + SECOND] = second
        buckets[bucket + COUNT] = 0
        buckets[bucket + FAILED] = 0
        buckets[bucket + SLOW] = 0
      }
      const slow = state.limit !== undefined && durationMs > state.limit
      buckets[bucket + COUNT]! += 1
      if (failed) buckets[bucket + FAILED]! += 1
      if (slow) buckets[bucket + SLOW]! += 1
      if (failed || slow) state.lastTrouble = Math.max(state.lastTrouble, second)
      if (!failed) addToBaseline(state, durationMs)
    },
    within(now, seconds) {
      const lastSecond = Math.floor(now / 1000)
      const firstSecond = lastSecond - Math.min(seconds, WINDOW_SECONDS - 1)
      let [count, failed, slow] = [0, 0, 0]
      for (let second = firstSecond; second <= lastSecond; second += 1) {
        const bucket = (second % WINDOW_SECONDS) * BUCKET_LENGTH
        if (buckets[bucket + SECOND] !== second) continue
        count += buckets[bucket + COUNT]!
        failed += buckets[bucket + FAILED]!
        slow += buckets[bucket + SLOW]!
      }
      return { count, failed, slow }
    },
    hasTrouble: (now) => state.lastTrouble > Math.floor(now / 1000) - WINDOW_SECONDS,
    fixBaseline: () => fixBaseline(state, MIN_BASELINE_COUNT),
    clear() {
      buckets.fill(NO_SECOND)
      state.lastTrouble = Number.NEGATIVE_INFINITY
    },
    slowAboveMs: () => state.limit,
    snapshot: () => copyOf(state),
  }
}
