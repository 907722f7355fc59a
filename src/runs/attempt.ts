/** One attempt at a problem: by whom, what should come of it, and what came of it. */
import type { Blame, Problem, Verdict } from '../spec/index.ts'
import type { Stages } from './stages.ts'

export interface PlannedAttempt {
  /** `do-nothing`, `reference`, or `hack NAME`. */
  readonly name: string
  readonly expected: 'resolved' | 'unresolved'
}

/** All that is to be tried with one problem, in this order. */
export interface EpisodeJob {
  readonly problem: Problem
  readonly attempts: readonly PlannedAttempt[]
  /** The folder for the records; none are kept where absent. */
  readonly records?: string
}

/** What is kept of an attempt; plain JSON. */
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
  /** Of the error that made it void. */
  readonly code?: string
  readonly reason: string
  readonly stages: Partial<Stages>
  /** Whether users felt something before the solver began; false where nobody waited for it. */
  readonly felt: boolean
  /** Those raised since the episode began. */
  readonly alerts: readonly string[]
  readonly damage: number
  /** How many times it was begun. */
  readonly tries: number
  /** Why it was begun again. */
  readonly failures?: readonly string[]
}

export type FinishedAttempt = Omit<AttemptResult, 'tries' | 'failures'>

/** Whether the attempt proves what it should. */
export const isAsExpected = ({ outcome, expected }: Pick<AttemptResult, 'outcome' | 'expected'>): boolean =>
  outcome === expected
