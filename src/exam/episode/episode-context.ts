/** The context that the stages of an episode share. Only the stage with the name of a field writes that field. */
import type { Briefing, Problem, Solver, TimeRange } from '#spec'
import type { Equipment } from './laboratory/equipment.ts'
import type { EventLog } from './record/event-log.ts'
import type { InjectedFault } from './stages/fault-switch.ts'
import type { Injection } from './stages/injection.ts'

/** The inputs of an episode. An attempt adds its solver and a separate record. */
export interface EpisodeInputs {
  readonly equipment: Equipment
  readonly problem: Problem
  /** The record being written: that of the preparation, then that of each attempt. */
  readonly log: EventLog
  readonly injection: Injection
  /** Whether to wait until users are affected. Validation skips the wait once impact has been observed. */
  readonly waitsForImpact: boolean
  /** Draws the timing of a control; by default the seed of the problem does. */
  readonly secret?: string
  readonly solver: Solver
  /** Whether only the laboratory's own solvers had access to the cluster. */
  readonly isTrusted: boolean
}

export interface StageResults {
  /** The time, shortly before the fault, in which users were served well. */
  readonly baseline: TimeRange
  /** The faults that are in force, in the order of their injection. */
  readonly inject: readonly InjectedFault[]
  /** Whether users are affected; false for controls, and if the wait was skipped. */
  readonly impact: boolean
  readonly report: Briefing
  readonly solve: undefined
  readonly verify: undefined
  readonly restore: undefined
}

export type EpisodeContext = EpisodeInputs & StageResults
export type StageName = keyof StageResults

/** One stage: the context fields that it reads, and the function that computes the field with its name. */
export interface Stage<
  Name extends StageName,
  Reads extends keyof EpisodeContext,
  After extends StageName = never,
> {
  readonly name: Name
  readonly reads: readonly Reads[]
  /** Stages that must run earlier although their results are not read: this one needs what they recorded or did. */
  readonly after?: readonly After[]
  run(context: Pick<EpisodeContext, Reads>): Promise<StageResults[Name]>
}

export const defineStage = <
  Name extends StageName,
  Reads extends keyof EpisodeContext,
  After extends StageName = never,
>(
  stage: Stage<Name, Reads, After>,
): Stage<Name, Reads, After> => stage
