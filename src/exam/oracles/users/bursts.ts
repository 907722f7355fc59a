/**
 * Finds users who wait in bursts, such as those of a container whose CPU quota is used up: it is stopped for a part of each
 * period and fast in the rest. Most runs fall into the fast parts, so the median over runs hides the waiting. Therefore,
 * each run counts for as long as its user waits.
 */
import type { JourneyBaseline } from '#spec'
import type { JourneyRun } from '../view/episode-view.ts'
import { toJourneyLimits } from './journey-limits.ts'

/** The first version of the rules in which bursts count as slowness. */
export const RULES_WITH_BURSTS = 4

/** Every part of a window must be slow, because the load peaks of a machine are shorter than a window. */
const PART_MS = 500
const MIN_PARTS = 4
/** In a slow part, users spend at least this share of their waiting in slow runs. */
const MIN_SLOW_SHARE = 0.4
/** In a slow part, at least this many slow runs end. A CPU quota applies to periods of 100 ms, so that a part contains five bursts. */
const MIN_SLOW_RUNS = 3
/** In a part with less waiting than this, users do not wait for most of the time. */
const MIN_WAITED_MS = PART_MS / 4

/** A run that takes longer is slow. The journeys of some systems are slow now and then, as their 95th percentile shows. */
const slowLimitOf = (baseline: JourneyBaseline): number =>
  Math.max(toJourneyLimits(baseline).noticeableMs, 1.2 * baseline.p95 + 10)

interface Part {
  waitedMs: number
  slowMs: number
  slowRuns: number
}

const toParts = (runs: readonly JourneyRun[], limitMs: number, from: number, count: number): Part[] => {
  const parts = Array.from({ length: count }, (): Part => ({ waitedMs: 0, slowMs: 0, slowRuns: 0 }))
  for (const { startedAt, endedAt, latencyMs } of runs)
    for (const [index, part] of parts.entries()) {
      const partStart = from + index * PART_MS
      const partEnd = partStart + PART_MS
      const waitedMs = Math.min(endedAt, partEnd) - Math.max(startedAt, partStart)
      if (waitedMs <= 0) continue
      part.waitedMs += waitedMs
      if (latencyMs <= limitMs) continue
      part.slowMs += waitedMs
      if (endedAt <= partEnd) part.slowRuns += 1
    }
  return parts
}

/** Whether users of one journey wait in bursts all the time from `from` to `to`. */
export const waitsInBursts = (
  runs: readonly JourneyRun[],
  baseline: JourneyBaseline | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): boolean => {
  if (baseline === undefined || baseline.runs === 0) return false
  const count = Math.floor((to - from) / PART_MS)
  if (count < MIN_PARTS) return false
  return toParts(runs, slowLimitOf(baseline), from, count).every(
    ({ waitedMs, slowMs, slowRuns }) =>
      slowRuns >= MIN_SLOW_RUNS && waitedMs >= MIN_WAITED_MS && slowMs >= MIN_SLOW_SHARE * waitedMs,
  )
}
