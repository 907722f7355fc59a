/** The results that callers of the gym receive. */
import type { ActionDescription, Blame, Briefing, Observation, Verdict } from '#spec'
import type { TermValues } from './reward/combine-terms.ts'

/** An observation of the agent. It never contains the problem or its answer. */
export interface FirstObservation extends Observation {
  readonly briefing: Briefing
  /** The actions that are available in this episode. */
  readonly actions: readonly ActionDescription[]
}

/** Facts about the episode for the trainer. The id of the problem reveals the answer, so the agent must not see it. */
export interface EpisodeInfo {
  /** The id of the episode, which is also in its record. */
  readonly episode: string
  readonly problem: string
  readonly seed: string
}

export interface ResetResult {
  readonly observation: FirstObservation
  readonly info: EpisodeInfo
}

/** Why an episode is void: it says nothing about the agent. */
export interface VoidInfo {
  /** The code of an error. With `unsupported`, another attempt with the same actions is void, too. */
  readonly code: string
  readonly blame: Blame
  readonly reason: string
}

export interface StepInfo extends EpisodeInfo {
  /** The number of steps so far. A submission is not a step. */
  readonly step: number
  /** The following fields are present when the episode has ended. The verdict reveals the answer. */
  readonly verdict?: Verdict
  readonly void?: VoidInfo
  /** The values of the terms of the reward, before they are weighted. */
  readonly terms?: TermValues
}

export interface StepResult {
  readonly observation: Observation
  /** 0 until the episode ends; null at the end of a void episode. */
  readonly reward: number | null
  /** Whether the episode ended by the action of the agent, so that its result counts in full. */
  readonly terminated: boolean
  /** Whether the episode ended without a submission: the budget is spent, or the episode is void. */
  readonly truncated: boolean
  readonly info: StepInfo
}

export type ScoreResult = Pick<StepResult, 'observation' | 'reward' | 'info'>
