/** What an agent may do, and how much of everything it may use. */
import { nearestName } from '../kit/index.ts'
import { isReadOnlyTask, RemediumError, type Task } from '../spec/index.ts'
import type { Action } from './define-action.ts'
import type { Rollback } from './ports.ts'

/** Beside steps and seconds, which are the problem's; whichever is spent first ends the episode. */
export interface PolicyBudget {
  /** Of all models together, input and output. */
  readonly tokens?: number
  /** US dollars. Calls whose price is not known cost nothing. */
  readonly costUsd?: number
}

export interface Approval {
  readonly isApproved: boolean
  /** The agent is told. */
  readonly reason?: string
}

export interface Policy {
  /** Only these actions; all where absent. `submit` is there always. */
  readonly allow?: readonly string[]
  /** Not these. */
  readonly deny?: readonly string[]
  readonly budget?: PolicyBudget
  /** Asked before every action that may change something; nobody is asked where absent. */
  approve?(request: { readonly action: string; readonly input: unknown }): Promise<Approval>
  /** `never` where absent. */
  readonly rollback?: Rollback
}

/** In tasks that ask for answers it has rights that only let it look: a shell is harmless then. */
export const mayChange = ({ name, isReadOnly }: Action, task: Task): boolean =>
  !isReadOnly && !(name === 'exec_shell' && isReadOnlyTask(task))

const checkNames = (names: readonly string[], actions: readonly Action[]): void => {
  const known = actions.map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    throw new RemediumError(
      'bad-argument',
      `The policy names the action "${name}", which does not exist${near === undefined ? '' : `; did you mean "${near}"`}.`,
    )
  }
}

/** Those that the policy lets an agent take in a task. Throws where it names an action that there is not. */
export const permittedActions = (
  actions: readonly Action[],
  { allow, deny = [] }: Policy,
  task: Task,
): readonly Action[] => {
  checkNames([...(allow ?? []), ...deny], actions)
  return actions.filter((action) => {
    if (action.isLast === true) return true
    const isListed = (allow?.includes(action.name) ?? true) && !deny.includes(action.name)
    return isListed && !(isReadOnlyTask(task) && mayChange(action, task))
  })
}
