/** Performs one call of an action: finds it, parses its input, gets approval, runs it. */
import type { Observation, SolverContext } from '#spec'
import { ACTIONS } from './action-registry.ts'
import { type Action, type ActionContext, ActionRefusal } from './define-action.ts'
import { explainInput } from './explain-error.ts'
import { normaliseInput } from './normalise-input.ts'
import { mayChange, type Policy } from './policy.ts'
import { suggestName } from './suggest-name.ts'

/** A longer name is rejected without comparing it to others. */
const MAX_NAME_CHARACTERS = 100

const findAction = (name: string, permitted: readonly Action[]): Action => {
  const names = permitted.map((action) => action.name)
  const available = `Available actions: ${names.join(', ')}.`
  if (name.length > MAX_NAME_CHARACTERS)
    throw new ActionRefusal(
      `The action name is too long: ${name.length} characters (at most ${MAX_NAME_CHARACTERS}). ${available}`,
    )
  const action = permitted.find((candidate) => candidate.name === name)
  if (action !== undefined) return action
  throw new ActionRefusal(
    ACTIONS.some((candidate) => candidate.name === name)
      ? `The action ${name} is not available in this episode. ${available}`
      : `The action "${name}" does not exist.${suggestName(name, names)} ${available}`,
  )
}

export interface ActionSetting {
  readonly permitted: readonly Action[]
  readonly policy: Policy
  readonly solver: Pick<SolverContext, 'briefing' | 'signal' | 'registerWork' | 'waitOutside'>
  readonly context: ActionContext
}

const getApproval = async (
  action: Action,
  input: unknown,
  { policy, solver }: ActionSetting,
): Promise<void> => {
  if (policy.approve === undefined || !mayChange(action, solver.briefing.task)) return
  const { isApproved, reason } = await solver.waitOutside(policy.approve({ action: action.name, input }))
  if (isApproved) return
  throw new ActionRefusal(
    `The operator did not approve this call of ${action.name}${reason === undefined ? '' : `: ${reason}`}. The action did not run. Use another action, or call submit.`,
  )
}

/** `isLast` reports whether the call ends the episode. Throws `ActionRefusal` for mistakes of the agent. */
export const performAction = async (
  name: string,
  rawInput: unknown,
  setting: ActionSetting,
): Promise<{ observation: Observation; isLast: boolean }> => {
  const { permitted, solver, context } = setting
  const action = findAction(name, permitted)
  const parsed = action.input.safeParse(normaliseInput(rawInput))
  if (!parsed.success) throw new ActionRefusal(explainInput(action, parsed.error))
  await getApproval(action, parsed.data, setting)
  solver.signal.throwIfAborted()
  const running = action.run(context, parsed.data as never)
  // An action that is being killed may still change the cluster, and the agent is accountable for that.
  if (mayChange(action, solver.briefing.task)) solver.registerWork(running)
  const observation = await running
  return { observation, isLast: action.isLast === true && observation.ok }
}
