/** Who calls whom in the last seconds, beside how it was when users were well. */
import type { EdgeStatistics, RequestStatistics } from '../../../spec/index.ts'

/** What get_topology tells. */
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

const NONE: RequestStatistics = { count: 0, rate: 0, errors: 0, errorRate: 0 }

/** Also those that there were before and are not now. */
export const toCalls = ({ edges, before }: TopologyData): readonly Call[] => {
  const isSame = (one: EdgeStatistics, other: EdgeStatistics): boolean =>
    one.from === other.from && one.to === other.to
  const ceased = before.filter((edge) => !edges.some((one) => isSame(one, edge)))
  return [
    ...edges.map((edge) => {
      const then = before.find((one) => isSame(one, edge))
      return { from: edge.from, to: edge.to, now: edge, ...(then === undefined ? {} : { before: then }) }
    }),
    ...ceased.map((edge) => ({ from: edge.from, to: edge.to, now: NONE, before: edge })),
  ]
}

/** Below this share of failures nobody is woken. */
const FAILING_SHARE = 0.05

export const isFailing = ({ now, before }: Call): boolean =>
  now.count > 0 && now.errorRate > Math.max(FAILING_SHARE, 2 * (before?.errorRate ?? 0))

/** Milliseconds; a user does not feel less. */
const FELT_MS = 40
/** Few calls have a chance tail. */
const TAIL_MS = 250

const growth = (now = 0, before = 0, times: number, least: number): number =>
  now > times * before && now - before > least ? now - before : 0

/** Milliseconds that the usual call takes longer than before, or a slow one much longer; 0 where that is nothing to speak of. */
export const slowdownOf = ({ now, before }: Call): number =>
  now.count === 0 || before === undefined || before.count === 0
    ? 0
    : Math.max(growth(now.p50, before.p50, 2, FELT_MS), growth(now.p95, before.p95, 3, TAIL_MS))

/** Nobody calls any more, who did often. */
export const hasCeased = ({ now, before }: Call): boolean => now.count === 0 && (before?.count ?? 0) >= 5

export const isTroubled = (call: Call): boolean => isFailing(call) || slowdownOf(call) > 0 || hasCeased(call)

const tell = ({ rate, errorRate, p50 = 0, p95 = 0 }: RequestStatistics): string =>
  `${rate.toFixed(1)}/s, ${Math.round(errorRate * 100)} % fail, p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms`

/** `frontend to cart: 3.0/s, 100 % fail, ... (before: ...)` */
export const describeCall = ({ from, to, now, before }: Call): string =>
  `${from} to ${to}: ${tell(now)}${before === undefined ? '' : ` (before: ${tell(before)})`}`
