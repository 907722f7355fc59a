/** Judges whether users are served: finds a window after the solver in which every journey performs as in its baseline. */
import { defined } from '#kit'
import { type Finding, type Holds, periodOf } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { requiredRunsOf } from './affected-journeys.ts'
import { assessWindow, type Window } from './assess-window.ts'

export interface ServiceWindow extends Omit<Finding, 'holds'> {
  /** Null if no run was bad, but there is too little evidence that users are served. */
  readonly holds: Holds
  /** The start of the window that proves that users are served. */
  readonly since?: number
  /** How many more runs would prove it, by journey. */
  readonly missingRuns: ReadonlyMap<string, number>
  /** The time since which users are only slow: their runs succeed, but take too long. */
  readonly slowSince?: number
}

const MIN_WINDOW_MS = 2000
/** If a window has a problem, its start is moved by this step, or by a larger one if there would be too many windows. */
const WINDOW_STEP_MS = 250
const MAX_WINDOWS = 40

/** The first version of the rules with a longer window for faults whose effect varies. */
const RULES_WITH_LONG_WINDOWS = 2

/** At least one period of an intermittent fault, and the time that the faults declare as `servedForMs`. */
const minWindowMs = ({ problem, injections, faults, rules }: EpisodeFacts): number => {
  const times = [...injections.values()].map(({ planned: { fault, shape } }) => {
    const { servedForMs = 0, servedForMsSince = RULES_WITH_LONG_WINDOWS } = faults.get(fault) ?? {}
    return rules < servedForMsSince || shape.kind === 'transient' ? 0 : servedForMs
  })
  const shapes = [...(problem?.faults ?? []), ...[...injections.values()].map(({ planned }) => planned)]
  const periods = shapes.map(({ shape }) => periodOf(shape))
  return Math.max(MIN_WINDOW_MS, ...periods, ...times)
}

const describeWindow = ({ since, runs, failures }: Window, at: number): string =>
  `in the last ${((at - since) / 1000).toFixed(1)} s ${runs - failures} of ${runs} journey runs succeeded, all at the usual latency`

/** Drops earlier runs, so that windows do not filter them again. */
const onlyRunsFrom = (view: EpisodeFacts, from: number): EpisodeFacts => ({
  ...view,
  runs: new Map(
    [...view.runs].map(([journey, runs]) => [journey, runs.filter(({ startedAt }) => startedAt >= from)]),
  ),
})

/** `from`: the earliest start of a window. */
export const judgeUsers = (record: EpisodeFacts, from: number): ServiceWindow => {
  const required = requiredRunsOf(record)
  const view = onlyRunsFrom(record, from)
  const step = Math.max(WINDOW_STEP_MS, (view.at - from) / MAX_WINDOWS)
  let problem: string | undefined
  let slowSince: number | undefined = from
  let window = assessWindow(view, { from, since: from, required })
  // An empty window has no problem, so the loop ends.
  while (window.problem !== undefined) {
    problem = window.problem
    slowSince = window.isFailing ? undefined : (slowSince ?? window.since)
    window = assessWindow(view, { from, since: window.since + step, required })
  }
  const { since, missingRuns } = window
  if (missingRuns.size === 0 && view.at - since >= minWindowMs(view))
    return { holds: true, evidence: describeWindow(window, view.at), missingRuns, since }
  const missing = [...missingRuns].map(([journey, count]) => `${count} of ${journey}`).join(', ')
  const tooShort = `users have been served for only ${(Math.max(0, view.at - since) / 1000).toFixed(1)} s`
  const evidence = problem ?? (missing === '' ? tooShort : `more journey runs are needed: ${missing}`)
  return { holds: problem === undefined ? null : false, evidence, missingRuns, ...defined({ slowSince }) }
}
