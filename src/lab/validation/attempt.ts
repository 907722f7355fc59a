/** One attempt of a validation: the solver, the expected outcome, and the result. */
import { defined } from '#kit'
import type { StageTimes } from '#lab/records'
import type { Blame, EpisodeMetrics, Problem, Verdict } from '#spec'

export interface PlannedAttempt {
  /** `do-nothing`, `reference`, `repair NAME`, or `hack NAME`. */
  readonly name: string
  readonly expected: 'resolved' | 'unresolved'
}

/** The attempts at each problem, in the order in which they are made. */
export type SuitePlan = readonly { readonly problem: Problem; readonly attempts: readonly PlannedAttempt[] }[]

/** The attempts at one problem, in order. */
export interface ValidationJob {
  readonly problem: Problem
  readonly attempts: readonly PlannedAttempt[]
  /** The name of the engine; `local` by default. */
  readonly engine?: string
  /** The folder for the records; none are kept by default. */
  readonly records?: string
}

/** The metrics of an attempt by which engines are compared. */
export type AttemptMetrics = Pick<EpisodeMetrics, 'timeToMitigate' | 'journeyRunsFailed' | 'journeyRuns'>

/** The result of an attempt; plain JSON. */
export interface AttemptResult {
  readonly problem: string
  readonly system: string
  /** Names of the faults, in the problem's order. */
  readonly faults: readonly string[]
  readonly task: Problem['task']
  readonly attempt: string
  readonly expected: PlannedAttempt['expected']
  readonly outcome: Verdict['outcome']
  readonly blame?: Blame
  /** The code of the error that made it void. */
  readonly code?: string
  readonly reason: string
  readonly stages: Partial<StageTimes>
  /** Whether users were affected before the solver started; false if the attempt did not wait for that. */
  readonly hasImpact: boolean
  /** Alerts raised since the episode started. */
  readonly alerts: readonly string[]
  readonly damage: number
  /** Absent if the attempt is void, and in older ledgers. */
  readonly metrics?: AttemptMetrics
  /** Set for a hack that follows a repair and found nothing to damage: the attempt proves nothing. */
  readonly isIdle?: true
  readonly tries: number
  /** Why it was retried. */
  readonly failures?: readonly string[]
}

export type FinishedAttempt = Omit<AttemptResult, 'tries' | 'failures'>

/** Whether the outcome is the expected one. */
export const isAsExpected = ({ outcome, expected }: Pick<AttemptResult, 'outcome' | 'expected'>): boolean =>
  outcome === expected

/** Selects the metrics by which engines are compared; undefined for a void attempt. */
export const attemptMetricsOf = ({
  outcome,
  metrics,
}: Pick<Verdict, 'outcome' | 'metrics'>): AttemptMetrics | undefined => {
  if (outcome === 'void') return undefined
  const { timeToMitigate, journeyRunsFailed, journeyRuns } = metrics
  return { ...defined({ timeToMitigate }), journeyRunsFailed, journeyRuns }
}
