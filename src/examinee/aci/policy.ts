/** The policy of a run: which actions an agent may call, what it may spend, and when its changes are rolled back. */
import { RemediumError, type Task, taskOf } from '#spec'
import type { Action } from './define-action.ts'
import type { Rollback } from './ports.ts'
import { suggestName } from './suggest-name.ts'

/** Limits in addition to the steps and seconds of the problem. The first limit reached ends the episode. */
export interface PolicyBudget {
  /** Input and output tokens of all models together. */
  readonly tokens?: number
  /** US dollars. Calls of models with an unknown price count as 0. */
  readonly costUsd?: number
}

export interface Approval {
  readonly isApproved: boolean
  /** Included in the agent's observation. */
  readonly reason?: string
}

export interface Policy {
  /** The actions that are available; all by default. `submit` is always available. */
  readonly allow?: readonly string[]
  /** Actions that are not available. */
  readonly deny?: readonly string[]
  readonly budget?: PolicyBudget
  /** Called before every action that may make changes. By default, no approval is needed. */
  approve?(request: { readonly action: string; readonly input: unknown }): Promise<Approval>
  /** `never` by default. */
  readonly rollback?: Rollback
}

/** In read-only tasks the account of the agent is read-only, so `exec_shell` cannot change anything. */
export const mayChange = ({ name, isReadOnly }: Action, task: Task): boolean =>
  !isReadOnly && !(name === 'exec_shell' && !taskOf(task).repairs)

const checkNames = (names: readonly string[], actions: readonly Action[]): void => {
  const actionNames = actions.map(({ name }) => name)
  for (const name of names) {
    if (actionNames.includes(name)) continue
    throw new RemediumError(
      'bad-argument',
      `The policy names the action "${name}", which does not exist.${suggestName(name, actionNames)}`,
    )
  }
}

/** Returns the actions that the policy permits in a task. Throws if the policy names an unknown action. */
export const permittedActions = (
  actions: readonly Action[],
  { allow, deny = [] }: Policy,
  task: Task,
): readonly Action[] => {
  checkNames([...(allow ?? []), ...deny], actions)
  return actions.filter((action) => {
    if (action.isLast === true) return true
    const isAllowed = (allow?.includes(action.name) ?? true) && !deny.includes(action.name)
    return isAllowed && (taskOf(task).repairs || !mayChange(action, task))
  })
}
