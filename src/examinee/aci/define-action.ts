/** Declares an action: its name, its description for language models, its input and its effect. */
import type { z } from 'zod'
import type { ActionReach, Observation, SolverContext } from '#spec'
import type { Playbooks, Rollback, Shell } from './ports.ts'

/** The resources that an action may use. */
export interface ActionContext
  extends Pick<
    SolverContext,
    | 'briefing'
    | 'api'
    | 'kubeconfig'
    | 'telemetry'
    | 'sql'
    | 'baselineWindow'
    | 'signal'
    | 'record'
    | 'answer'
    | 'takeSnapshot'
  > {
  readonly shell?: Shell | undefined
  readonly playbooks?: Playbooks | undefined
  readonly rollback: Rollback
}

export interface Action {
  /** In snake case. */
  readonly name: string
  /** The description that language models read: what the action does, what it returns, and its limits. */
  readonly about: string
  /** A valid input; shown with the description. */
  readonly example: Readonly<Record<string, unknown>>
  readonly input: z.ZodObject
  readonly isReadOnly: boolean
  readonly reach: ActionReach
  /** Whether a successful call ends the episode. */
  readonly isLast?: boolean
  /** Throws `ActionRefusal` for mistakes of the agent. */
  run(context: ActionContext, input: never): Promise<Observation>
}

/** A mistake of the agent. The message, which becomes the observation, says what was wrong and what is expected. */
export class ActionRefusal extends Error {
  override readonly name = 'ActionRefusal'
}

export const defineAction = <S extends z.ZodObject>(
  action: Omit<Action, 'input' | 'run'> & {
    readonly input: S
    run(context: ActionContext, input: z.infer<S>): Promise<Observation>
  },
): Action => action as Action
