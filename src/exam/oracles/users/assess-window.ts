/** Assesses one window of time: whether users are served in it, and how many more runs would prove it. */
import { defined } from '#kit'
import type { EpisodeFacts, JourneyRun } from '../view/episode-view.ts'
import { type RequiredRuns, requiredAfterFailures } from './affected-journeys.ts'
import { RULES_WITH_BURSTS, waitsInBursts } from './bursts.ts'
import { toJourneyLimits } from './journey-limits.ts'
import { median } from './median.ts'

export interface Window {
  readonly since: number
  readonly missingRuns: ReadonlyMap<string, number>
  /** Absent if no run is bad, even if more runs are needed. */
  readonly problem?: string
  readonly runs: number
  readonly failures: number
  /** Whether more runs fail than are allowed. */
  readonly isFailing: boolean
}

export interface WindowOptions {
  /** The end of the solver; earlier runs do not count. */
  readonly from: number
  /** The start of the window. */
  readonly since: number
  readonly required: RequiredRuns
}

/** One run in this many may fail. */
const RUNS_PER_FAILURE = 100
/**
 * The normal share of outliers, per journey and over all journeys: the 95th percentile stays below the limit.
 * A few runs can contain more outliers by chance, up to the maximum share. One outlier is always allowed if
 * there are enough runs.
 */
const OUTLIER_SHARE = 0.05
const MAX_OUTLIER_SHARE = 0.1
/** The number of standard deviations above the mean that 5 % of samples exceed. */
const DEVIATIONS = 1.65
const MIN_RUNS_FOR_MEDIAN = 4

const allowedOutliers = (runs: number): number => {
  const byChance = runs * OUTLIER_SHARE + DEVIATIONS * Math.sqrt(runs * OUTLIER_SHARE * (1 - OUTLIER_SHARE))
  return Math.max(1, Math.floor(Math.min(byChance, runs * MAX_OUTLIER_SHARE)))
}

const countOutliers = (view: EpisodeFacts, journey: string, runs: readonly JourneyRun[]): number => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined || baseline.runs === 0) return 0
  const { outlierMs } = toJourneyLimits(baseline)
  return runs.filter(({ latencyMs }) => latencyMs > outlierMs).length
}

const findLatencyProblem = (
  view: EpisodeFacts,
  journey: string,
  runs: readonly JourneyRun[],
  since: number,
): string | undefined => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined || baseline.runs === 0 || runs.length === 0) return undefined
  const { servedMs, outlierMs } = toJourneyLimits(baseline)
  const baselineText = `the median before the fault was ${baseline.p50.toFixed(0)} ms`
  const middle = median(runs.map(({ latencyMs }) => latencyMs))
  if (runs.length >= MIN_RUNS_FOR_MEDIAN && middle > servedMs)
    return `the median latency of ${journey} is ${middle.toFixed(0)} ms (at most ${servedMs.toFixed(0)} ms is allowed; ${baselineText})`
  if (view.rules >= RULES_WITH_BURSTS && waitsInBursts(runs, baseline, { from: since, to: view.at }))
    return `users of ${journey} wait in bursts, although many runs between them are fast (${baselineText})`
  const outliers = countOutliers(view, journey, runs)
  const allowed = runs.length >= MIN_RUNS_FOR_MEDIAN ? allowedOutliers(runs.length) : 0
  if (outliers <= allowed) return undefined
  return `${outliers} of ${runs.length} runs of ${journey} take more than ${outlierMs.toFixed(0)} ms (${baselineText})`
}

/** Considers all affected journeys together, because each of them may have few runs. */
const findSlowRecovery = (view: EpisodeFacts, since: number, required: RequiredRuns): string | undefined => {
  const ratios = [...required.keys()].flatMap((journey) => {
    const { servedMs } = toJourneyLimits(view.baseline.get(journey)!)
    return (view.runs.get(journey) ?? [])
      .filter(({ startedAt }) => startedAt >= since)
      .map(({ latencyMs }) => latencyMs / servedMs)
  })
  if (ratios.length < MIN_RUNS_FOR_MEDIAN || median(ratios) <= 1) return undefined
  return `the affected journeys still take ${median(ratios).toFixed(1)} times as long as is allowed`
}

const findStuckUser = ({ pending, at, baseline }: EpisodeFacts, since: number): string | undefined => {
  for (const [journey, startedAt] of pending) {
    const journeyBaseline = baseline.get(journey)
    if (
      startedAt >= since &&
      journeyBaseline !== undefined &&
      at - startedAt > toJourneyLimits(journeyBaseline).outlierMs
    )
      return `a user has been waiting for ${journey} for ${((at - startedAt) / 1000).toFixed(1)} s`
  }
  return undefined
}

export const assessWindow = (view: EpisodeFacts, { from, since, required }: WindowOptions): Window => {
  const missingRuns = new Map<string, number>()
  let [total, failures, outliers, problem] = [0, 0, 0, findStuckUser(view, since)]
  let failureText: string | undefined
  for (const journey of view.baseline.keys()) {
    const runs = (view.runs.get(journey) ?? []).filter(({ startedAt }) => startedAt >= since)
    const bad = runs.filter(({ failedAt }) => failedAt !== undefined)
    total += runs.length
    failures += bad.length
    outliers += countOutliers(view, journey, runs)
    if (bad.length > 0)
      failureText ??= `${bad.length} of ${runs.length} runs of ${journey} failed, the first at ${bad[0]!.failedAt}`
    problem ??= findLatencyProblem(view, journey, runs, since)
    const needed = Math.max(required.get(journey) ?? 1, requiredAfterFailures(view, journey, from, since))
    if (needed > runs.length) missingRuns.set(journey, needed - runs.length)
  }
  problem ??= findSlowRecovery(view, since, required)
  if (outliers > allowedOutliers(total))
    problem ??= `${outliers} of ${total} runs of all journeys take far longer than before the fault`
  const isFailing = failures > Math.floor(total / RUNS_PER_FAILURE)
  if (isFailing) problem = failureText
  return { since, missingRuns, runs: total, failures, isFailing, ...defined({ problem }) }
}
