/** An action: a name, what it is good for, what it takes, and what it does. */
import type { z } from 'zod'
import type { Observation, SolverContext } from '../spec/index.ts'
import type { Playbooks, Rollback, Shell } from './ports.ts'

/** What actions have to work with. */
export interface ActionContext
  extends Pick<
    SolverContext,
    | 'briefing'
    | 'api'
    | 'kubeconfig'
    | 'telemetry'
    | 'sql'
    | 'calm'
    | 'signal'
    | 'record'
    | 'answer'
    | 'remember'
  > {
  readonly shell?: Shell | undefined
  readonly playbooks?: Playbooks | undefined
  readonly rollback: Rollback
}

export interface Action {
  /** In snake case. */
  readonly name: string
  /** For a language model: what it gives, and when to use it. */
  readonly about: string
  /** An input that makes sense. */
  readonly example: Readonly<Record<string, unknown>>
  readonly input: z.ZodObject
  readonly isReadOnly: boolean
  /** Nothing comes after it where it went well. */
  readonly isLast?: boolean
  /** Throws `ActionRefusal` for what the agent did wrong. */
  run(context: ActionContext, input: never): Promise<Observation>
}

/** What the agent did wrong: in the message, with what would be right. */
export class ActionRefusal extends Error {
  override readonly name = 'ActionRefusal'
}

export const defineAction = <S extends z.ZodObject>(
  action: Omit<Action, 'input' | 'run'> & {
    readonly input: S
    run(context: ActionContext, input: z.infer<S>): Promise<Observation>
  },
): Action => action as Action
