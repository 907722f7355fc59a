/** Statistics of requests. */
import type { RequestStatistics, TimeRange } from '#spec'

/** Percentile of sorted values as computed by SQLite's percentile_disc, which differs from `percentile` of the kit. */
export const percentileOf = (sorted: ArrayLike<number>, share: number): number | undefined =>
  sorted[Math.floor(share * (sorted.length - 1))]

/** Length of a range for rates; never 0, so that a rate is finite. */
export const secondsOf = (range: TimeRange | undefined): number =>
  range === undefined ? 1 : Math.max(0.001, (range.to - range.from) / 1000)

const LEVELS = { p50: 0.5, p95: 0.95, p99: 0.99 }

/** Computes statistics from the durations of all requests and the number of failed ones. */
export const statisticsOf = (
  durations: readonly number[],
  errors: number,
  range: TimeRange | undefined,
): RequestStatistics => {
  const sorted = Float64Array.from(durations).sort()
  const levels = Object.entries(LEVELS).map(([name, share]) => [name, percentileOf(sorted, share)])
  return {
    count: durations.length,
    rate: durations.length / secondsOf(range),
    errors,
    errorRate: durations.length === 0 ? 0 : errors / durations.length,
    ...(durations.length === 0 ? {} : Object.fromEntries(levels)),
  }
}

/** Computes statistics from single requests. */
export const toStatistics = (
  requests: readonly { readonly durationMs: number; readonly failed: boolean }[],
  range: TimeRange | undefined,
): RequestStatistics =>
  statisticsOf(
    requests.map(({ durationMs }) => durationMs),
    requests.filter(({ failed }) => failed).length,
    range,
  )
