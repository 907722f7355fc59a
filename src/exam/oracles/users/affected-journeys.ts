/** Finds the journeys that the fault affected, and how many good runs prove that each of them has recovered. */
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toJourneyLimits } from './journey-limits.ts'

/** By affected journey: the number of consecutive good runs that prove recovery. */
export type RequiredRuns = ReadonlyMap<string, number>

/** The probability that a journey that is still affected passes the required runs. */
const MISS_PROBABILITY = 0.01
const MIN_RUNS = 6
const MAX_RUNS = 16
const MIN_RUNS_SHARED = 2
/** Stricter values for journeys that still failed after the solver ended. */
const MISS_PROBABILITY_AFTERWARDS = 0.0001
const MAX_RUNS_AFTERWARDS = 40
/** A journey without observed user impact counts as affected if it has at least this share of bad runs. */
const MIN_BAD_SHARE = 0.3
const MIN_BAD_RUNS = 3

/** How many consecutive good runs a journey with this share of bad runs reaches only with the given probability. */
const runsToExclude = (bad: number, runs: number, probability: number): number =>
  Math.ceil(Math.log(probability) / Math.log(1 - (bad + 1) / (runs + 2)))

/** Considers the runs from the injection to the end of the solver. */
export const requiredRunsOf = (view: EpisodeFacts): RequiredRuns => {
  const since = Math.min(...[...view.injections.values()].map((injection) => injection.since))
  const until = view.solverEnded?.at ?? view.at
  const requiredRuns = new Map<string, number>()
  for (const [journey, baseline] of view.baseline) {
    const { servedMs } = toJourneyLimits(baseline)
    const runs = (view.runs.get(journey) ?? []).filter(
      ({ startedAt, endedAt }) => startedAt >= since && endedAt <= until,
    )
    const bad = runs.filter(
      ({ failedAt, latencyMs }) => failedAt !== undefined || latencyMs > servedMs,
    ).length
    const badShare = (bad + 1) / (runs.length + 2)
    const isObserved = view.userImpact?.affected === true && view.userImpact.journeys.includes(journey)
    if (!isObserved && (bad < MIN_BAD_RUNS || badShare < MIN_BAD_SHARE)) continue
    requiredRuns.set(
      journey,
      Math.min(MAX_RUNS, Math.max(MIN_RUNS, runsToExclude(bad, runs.length, MISS_PROBABILITY))),
    )
  }
  // Journeys that are affected by the same cause prove recovery together: each needs fewer runs.
  const toSharedRuns = (required: number): number =>
    Math.min(required, Math.max(MIN_RUNS_SHARED, Math.ceil((2 * required) / requiredRuns.size)))
  return new Map([...requiredRuns].map(([journey, required]) => [journey, toSharedRuns(required)]))
}

/**
 * Returns how many good runs a window from `since` needs because of bad runs between the end of the solver
 * (`from`) and the window. Runs before the first good one do not count: the system was still recovering.
 */
export const requiredAfterFailures = (
  view: EpisodeFacts,
  journey: string,
  from: number,
  since: number,
): number => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined) return 0
  const { outlierMs } = toJourneyLimits(baseline)
  const runsBetween = (view.runs.get(journey) ?? []).filter(
    ({ startedAt }) => startedAt >= from && startedAt < since,
  )
  const goodStarts = runsBetween
    .filter(({ failedAt }) => failedAt === undefined)
    .map(({ startedAt }) => startedAt)
  const firstGood = Math.min(...goodStarts)
  const runs = runsBetween.filter(({ startedAt }) => startedAt >= firstGood)
  const overdueCount = view.pending.filter(
    ([name, startedAt]) =>
      name === journey && startedAt > firstGood && startedAt < since && view.at - startedAt > outlierMs,
  ).length
  const bad = runs.length - goodStarts.length + overdueCount
  if (bad === 0) return 0
  return Math.min(
    MAX_RUNS_AFTERWARDS,
    runsToExclude(bad, runs.length + overdueCount, MISS_PROBABILITY_AFTERWARDS),
  )
}
