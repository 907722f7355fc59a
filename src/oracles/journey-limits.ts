/** How long a walk of a journey may take, by how long it took while all was well. */
import type { JourneyBaseline } from '../spec/index.ts'

export interface JourneyLimits {
  /** The median of a journey that is served stays below. */
  readonly servedMs: number
  /** No walk of a journey that is served takes longer, but for a rare one. */
  readonly farMs: number
  /** Beyond it a median is felt. It is more than `servedMs`, so that nothing is felt and served at once. */
  readonly feltMs: number
  /** Who has waited so long has waited in vain, also if there was an end at last. */
  readonly hopelessMs: number
}

/** Nobody's patience grows without end with what is usual. */
const MOST_PATIENCE_MS = 4000

/**
 * Factors for what is long by itself, milliseconds for what is so short that a busy machine alone doubles it. A wide
 * spread of the baseline widens them, but only so far: it was measured on the same busy machine.
 */
export const toJourneyLimits = ({ p50, p95 }: Pick<JourneyBaseline, 'p50' | 'p95'>): JourneyLimits => {
  const spread = Math.min(p95, 2 * p50 + 20)
  const servedMs = Math.max(2 * p50 + 15, spread + 5)
  const feltMs = Math.max(2.5 * p50 + 20, 1.2 * spread + 10)
  // Who has to book before he can collect takes long now and then, with nothing wrong: that is not far.
  const farMs = Math.max(3 * servedMs + 150, 1.2 * p95)
  return { servedMs, feltMs, farMs, hopelessMs: feltMs + Math.min(4 * feltMs + 1000, MOST_PATIENCE_MS) }
}
