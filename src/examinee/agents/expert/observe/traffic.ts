/** Calls between services in the last seconds, compared with the baseline. */
import { defined } from '#kit'
import type { EdgeStatistics, RequestStatistics } from '#spec'

/** The data of get_topology. */
export interface TopologyData {
  readonly services: readonly string[]
  readonly edges: readonly EdgeStatistics[]
  readonly before: readonly EdgeStatistics[]
}

export interface Call {
  readonly from: string
  readonly to: string
  readonly now: RequestStatistics
  readonly before?: RequestStatistics
}

const NO_REQUESTS: RequestStatistics = { count: 0, rate: 0, errors: 0, errorRate: 0 }

/** Includes calls that exist only in the baseline. */
export const toCalls = ({ edges, before }: TopologyData): readonly Call[] => {
  const isSameEdge = (a: EdgeStatistics, b: EdgeStatistics): boolean => a.from === b.from && a.to === b.to
  const ceased = before.filter((edge) => !edges.some((candidate) => isSameEdge(candidate, edge)))
  return [
    ...edges.map((edge) => {
      const baseline = before.find((candidate) => isSameEdge(candidate, edge))
      return { from: edge.from, to: edge.to, now: edge, ...defined({ before: baseline }) }
    }),
    ...ceased.map((edge) => ({ from: edge.from, to: edge.to, now: NO_REQUESTS, before: edge })),
  ]
}

const MIN_ERROR_RATE = 0.05

export const isFailing = ({ now, before }: Call): boolean =>
  now.count > 0 && now.errorRate > Math.max(MIN_ERROR_RATE, 2 * (before?.errorRate ?? 0))

const MIN_MEDIAN_GROWTH_MS = 40
/** The tail of few calls varies by chance. */
const MIN_TAIL_GROWTH_MS = 250

const significantGrowth = (now = 0, before = 0, factor: number, minimum: number): number =>
  now > factor * before && now - before > minimum ? now - before : 0

/** The growth in milliseconds of the median, or of the tail if that is larger; 0 if it is insignificant. */
export const slowdownOf = ({ now, before }: Call): number =>
  now.count === 0 || before === undefined || before.count === 0
    ? 0
    : Math.max(
        significantGrowth(now.p50, before.p50, 2, MIN_MEDIAN_GROWTH_MS),
        significantGrowth(now.p95, before.p95, 3, MIN_TAIL_GROWTH_MS),
      )

/** Whether a frequent call has stopped. */
export const hasCeased = ({ now, before }: Call): boolean => now.count === 0 && (before?.count ?? 0) >= 5

export const isDegraded = (call: Call): boolean => isFailing(call) || slowdownOf(call) > 0 || hasCeased(call)

const describeStatistics = ({ rate, errorRate, p50 = 0, p95 = 0 }: RequestStatistics): string =>
  `${rate.toFixed(1)}/s, ${Math.round(errorRate * 100)} % fail, p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms`

/** Returns `frontend to cart: 3.0/s, 100 % fail, ... (baseline: ...)`. */
export const describeCall = ({ from, to, now, before }: Call): string =>
  `${from} to ${to}: ${describeStatistics(now)}${before === undefined ? '' : ` (baseline: ${describeStatistics(before)})`}`
