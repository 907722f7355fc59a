/** Latency limits of a journey, derived from its baseline. */
import type { JourneyBaseline } from '#spec'

export interface JourneyLimits {
  /** Upper limit of the median of a journey that is served. */
  readonly servedMs: number
  /** Upper limit of a single run of a journey that is served; only rare runs may exceed it. */
  readonly outlierMs: number
  /** A median above it is user impact. It exceeds `servedMs`, so that no journey is affected and served at once. */
  readonly noticeableMs: number
  /** A run that takes longer counts as failed, even if it ends successfully. */
  readonly unacceptableMs: number
}

/** `unacceptableMs` exceeds `noticeableMs` by at most this, however slow the baseline is. */
const MAX_TOLERANCE_MS = 4000

/**
 * The factors matter for long latencies. The added milliseconds matter for latencies so short that a busy machine alone
 * doubles them. A wide spread of the baseline raises the limits, but only up to a bound: the baseline was measured on
 * the same busy machine.
 */
export const toJourneyLimits = ({ p50, p95 }: Pick<JourneyBaseline, 'p50' | 'p95'>): JourneyLimits => {
  const spread = Math.min(p95, 2 * p50 + 20)
  const servedMs = Math.max(2 * p50 + 15, spread + 5)
  const noticeableMs = Math.max(2.5 * p50 + 20, 1.2 * spread + 10)
  // Some journeys include optional steps and are slow now and then in a healthy system.
  const outlierMs = Math.max(3 * servedMs + 150, 1.2 * p95)
  const unacceptableMs = noticeableMs + Math.min(4 * noticeableMs + 1000, MAX_TOLERANCE_MS)
  return { servedMs, noticeableMs, outlierMs, unacceptableMs }
}
