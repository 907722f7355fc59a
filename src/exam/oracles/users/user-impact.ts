/** Finds whether users are affected at present, compared with the baseline. */
import type { ImpactKind, JourneyBaseline } from '#spec'
import type { EpisodeFacts, JourneyRun } from '../view/episode-view.ts'
import { waitsInBursts } from './bursts.ts'
import { type ImpactWindow, toImpactWindow } from './impact-window.ts'
import { type JourneyLimits, toJourneyLimits } from './journey-limits.ts'
import { median } from './median.ts'

export interface UserImpact {
  readonly affected: boolean
  /** The affected journeys. */
  readonly journeys: readonly string[]
  readonly evidence: string
  /** When replaced pods were ready and clients had reconnected; present if only later runs count. */
  readonly since?: number
}

/** Runs that ended earlier do not count. */
const RECENT_MS = 3000
/** Slow journeys have few runs: their last runs count for longer, if all started after the injection. */
const SLOW_RECENT_MS = 12_000
/** Both are required: this many failures, and this share of the runs. */
const MIN_FAILURES = 3
const MIN_FAILED_SHARE = 0.25
/** Failures must be at least this many times as frequent as in the baseline. */
const MIN_FAILURE_INCREASE = 3
/** Runs needed for a median, of one journey and of all together. */
const MIN_JOURNEY_RUNS = 8
const MIN_TOTAL_JOURNEY_RUNS = 12
/**
 * A short load peak of the machine slows all runs at once. Slowness counts only if it spans this time and appears in both halves of the runs.
 */
const MIN_SPAN_MS = 1000
/** A run below this ratio is fast. Runs between load peaks are fast; with a fault hardly any run is. */
const FAST_RATIO = 0.6
const MAX_FAST_SHARE = 0.2

/** When a failure was observed: at one moment, or for as long as a user waited. */
interface Failure {
  readonly from: number
  readonly to: number
}

interface RecentRuns {
  readonly journey: string
  readonly runs: readonly JourneyRun[]
  /** The runs whose median counts. */
  readonly last: readonly JourneyRun[]
  /** Runs that failed or took unacceptably long, and users who have been waiting that long. */
  readonly failed: readonly Failure[]
  readonly baseline: JourneyBaseline | undefined
}

const limitsOf = (baseline: JourneyBaseline | undefined): JourneyLimits | undefined =>
  baseline === undefined || baseline.runs === 0 ? undefined : toJourneyLimits(baseline)

/** While pods are replaced, failures within a short time may come from the replacement. */
const isBurst = ({ unsettled, settledAt }: EpisodeFacts, failed: readonly Failure[]): boolean => {
  if (unsettled.size === 0 && settledAt === 0) return false
  const first = Math.min(...failed.map(({ from }) => from))
  const last = Math.max(...failed.map(({ to }) => to))
  return last - first < MIN_SPAN_MS
}

const recentRunsOf = (view: EpisodeFacts, journey: string, { since, kind }: ImpactWindow): RecentRuns => {
  const { at, pending } = view
  const baseline = view.baseline.get(journey)
  const { unacceptableMs = Number.POSITIVE_INFINITY, noticeableMs = 0 } = limitsOf(baseline) ?? {}
  // A fault that slows requests does not cause quick failures: callers may still have to reconnect.
  const minFailedMs = kind === 'slowness' ? noticeableMs : 0
  const all = (view.runs.get(journey) ?? []).filter(({ startedAt }) => startedAt >= since)
  const runs = all.filter(({ endedAt }) => endedAt > at - RECENT_MS)
  const runsOfLongWindow = all.filter(
    ({ endedAt }) => endedAt > at - SLOW_RECENT_MS && view.injections.size > 0,
  )
  const last =
    runs.length >= MIN_JOURNEY_RUNS
      ? runs
      : [...new Set([...runsOfLongWindow.slice(-MIN_JOURNEY_RUNS), ...runs])]
  const late = runsOfLongWindow.filter(({ latencyMs }) => latencyMs > unacceptableMs)
  const waiting = pending.filter(
    ([name, startedAt]) => name === journey && startedAt >= since && at - startedAt > unacceptableMs,
  )
  const failed = [
    ...runs
      .filter((run) => run.failedAt !== undefined && run.latencyMs >= minFailedMs && !late.includes(run))
      .map(({ endedAt }) => ({ from: endedAt, to: endedAt })),
    ...late.map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt })),
    ...waiting.map(([, startedAt]) => ({ from: startedAt, to: at })),
  ]
  return { journey, runs: [...new Set([...runs, ...late])], last, failed, baseline }
}

const listRecentRuns = (view: EpisodeFacts, window: ImpactWindow): RecentRuns[] =>
  [...new Set([...view.baseline.keys(), ...view.runs.keys()])].map((journey) =>
    recentRunsOf(view, journey, window),
  )

const isFailing = (view: EpisodeFacts, journeys: readonly RecentRuns[]): boolean => {
  const failed = journeys.flatMap((journeyRuns) => journeyRuns.failed)
  const runs = journeys.reduce((sum, journeyRuns) => sum + journeyRuns.runs.length, 0)
  const failuresBefore = journeys.reduce((sum, { baseline }) => sum + (baseline?.failures ?? 0), 0)
  const runsBefore = journeys.reduce((sum, { baseline }) => sum + (baseline?.runs ?? 0), 0)
  const baselineShare = runsBefore === 0 ? 0 : failuresBefore / runsBefore
  if (failed.length < MIN_FAILURES || isBurst(view, failed)) return false
  return failed.length >= Math.max(MIN_FAILED_SHARE, MIN_FAILURE_INCREASE * baselineShare) * runs
}

/** The latency of a run relative to the noticeable latency of its journey: above 1 it is slow. */
interface Pace {
  readonly endedAt: number
  readonly ratio: number
}

const toPaces = (runs: readonly JourneyRun[], baseline: JourneyBaseline | undefined): Pace[] => {
  const limits = limitsOf(baseline)
  return limits === undefined
    ? []
    : runs.map(({ endedAt, latencyMs }) => ({ endedAt, ratio: latencyMs / limits.noticeableMs }))
}

const isSlow = (paces: readonly Pace[], minRuns: number): boolean => {
  if (paces.length < minRuns) return false
  const byTime = [...paces].sort((a, b) => a.endedAt - b.endedAt)
  const slow = byTime.filter(({ ratio }) => ratio > 1)
  if (slow.length === 0 || slow.at(-1)!.endedAt - slow[0]!.endedAt < MIN_SPAN_MS) return false
  if (byTime.filter(({ ratio }) => ratio < FAST_RATIO).length > MAX_FAST_SHARE * byTime.length) return false
  const middle = byTime.length >> 1
  return [byTime, byTime.slice(0, middle), byTime.slice(middle)].every(
    (part) => median(part.map(({ ratio }) => ratio)) > 1,
  )
}

const hasBursts = ({ at }: EpisodeFacts, { runs, baseline }: RecentRuns): boolean =>
  waitsInBursts(runs, baseline, { from: at - RECENT_MS, to: at })

const describe = ({ journey, last: runs, failed, baseline }: RecentRuns): string => {
  const middle = median(runs.map(({ latencyMs }) => latencyMs))
  const latency = runs.length === 0 ? '' : `, median latency ${middle.toFixed(0)} ms`
  const baselineText = baseline === undefined ? '' : ` (${baseline.p50.toFixed(0)} ms before the fault)`
  return `${journey}: ${failed.length} of ${Math.max(runs.length, failed.length)} runs failed${latency}${baselineText}`
}

const findAffected = (view: EpisodeFacts, recent: readonly RecentRuns[], kind: ImpactKind): RecentRuns[] => {
  const countsSlowness = kind !== 'failures'
  const areAllFailing = isFailing(view, recent)
  const areAllSlow =
    countsSlowness &&
    isSlow(
      recent.flatMap(({ runs, baseline }) => toPaces(runs, baseline)),
      MIN_TOTAL_JOURNEY_RUNS,
    )
  return recent.filter((journeyRuns) => {
    const paces = toPaces(journeyRuns.runs, journeyRuns.baseline)
    return (
      isFailing(view, [journeyRuns]) ||
      (areAllFailing && journeyRuns.failed.length > 0) ||
      (countsSlowness &&
        (isSlow(toPaces(journeyRuns.last, journeyRuns.baseline), MIN_JOURNEY_RUNS) ||
          hasBursts(view, journeyRuns))) ||
      (areAllSlow && median(paces.map(({ ratio }) => ratio)) > 1)
    )
  })
}

export const findUserImpact = (view: EpisodeFacts): UserImpact => {
  const window = toImpactWindow(view)
  const recent = listRecentRuns(view, window)
  const affected = findAffected(view, recent, window.kind)
  const count = recent.flatMap(({ runs }) => runs).length
  const noImpactText =
    window.since < Number.POSITIVE_INFINITY
      ? `none of the ${count} journey runs of the last ${RECENT_MS / 1000} s shows user impact`
      : 'the pods that the injection replaced are not ready yet'
  return {
    affected: affected.length > 0,
    journeys: affected.map(({ journey }) => journey),
    evidence: affected.length > 0 ? affected.map(describe).join('; ') : noImpactText,
    ...(window.isAfterRollout && Number.isFinite(window.since) ? { since: window.since } : {}),
  }
}
