/** What is said of many requests at once. */
import type { RequestStatistics, TimeRange } from '../../spec/index.ts'

/** Of values in order: the one below which this share of the others lies. As SQLite's percentile_disc has it. */
export const percentileOf = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.floor(share * (sorted.length - 1))]

/** For rates: never nothing, so that one request is not infinitely many a second. */
export const secondsOf = (range: TimeRange | undefined): number =>
  range === undefined ? 1 : Math.max(0.001, (range.to - range.from) / 1000)

const LEVELS = { p50: 0.5, p95: 0.95, p99: 0.99 }

/** From the requests themselves. */
export const toStatistics = (
  requests: readonly { readonly durationMs: number; readonly failed: boolean }[],
  range: TimeRange | undefined,
): RequestStatistics => {
  const sorted = requests.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const errors = requests.filter(({ failed }) => failed).length
  const levels = Object.entries(LEVELS).map(([name, share]) => [name, percentileOf(sorted, share)])
  return {
    count: requests.length,
    rate: requests.length / secondsOf(range),
    errors,
    errorRate: requests.length === 0 ? 0 : errors / requests.length,
    ...(requests.length === 0 ? {} : Object.fromEntries(levels)),
  }
}
