/** The job of a worker of the gym, its input and its replies. */
import { deriveSecret } from '#kit'
import type { Failure } from '#lab/workers'
import type { Answers, Problem } from '#spec'
import type { ResetResult, ScoreResult, StepResult } from '../episode-results.ts'
import type { RewardOptions } from '../reward/combine-terms.ts'

/** Serves sessions until the worker ends. */
export interface GymJob {
  /** The name of the engine. */
  readonly engine: string
  readonly reward: RewardOptions
  /** The only actions that agents may use; all by default. */
  readonly allow?: readonly string[]
  /** Whether the time between the steps passes on simulated clusters. */
  readonly isThinkingTimed?: boolean
  /** The path of kubectl, for the shell of agents. */
  readonly kubectl?: string
}

/** A problem, and the seed of everything that the agent sees and the problem does not determine. */
export interface Start {
  readonly problem: Problem
  readonly seed: string
}

/** The solver's name in records. */
export const GYM_SOLVER = 'gym'

export const secretOf = ({ problem, seed }: Start): string => deriveSecret(seed, 'gym', problem.id)

/** A start with the path of the episode's record; none is kept by default. */
export interface RecordedStart extends Start {
  readonly record?: string
}

export interface GymCalls {
  reset: { readonly input: RecordedStart; readonly result: ResetResult }
  step: { readonly input: { readonly action: unknown }; readonly result: StepResult }
  score: {
    readonly input: RecordedStart & { readonly playbook: string; readonly answers: Answers }
    readonly result: ScoreResult
  }
  /** Ends a session. An episode that has not ended is abandoned. */
  close: { readonly input: object; readonly result: null }
}

export type CallName = keyof GymCalls

type InputOf<Name extends CallName> = { readonly call: Name } & GymCalls[Name]['input']

export type CallInput = { [Name in CallName]: InputOf<Name> }[CallName]

export type GymInput = CallInput & { readonly id: number; readonly session: string }

export type GymReply =
  | { readonly id: number; readonly result: GymCalls[CallName]['result'] }
  | { readonly id: number; readonly failure: Failure & { readonly hint?: string } }
