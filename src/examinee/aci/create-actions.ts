/** Creates the actions of one episode under a policy. Each call is recorded as a step. */
import { type ActionReach, type Actions, type Observation, RemediumError, type SolverContext } from '#spec'
import { ACTIONS } from './action-registry.ts'
import { type Action, ActionRefusal } from './define-action.ts'
import { describeAction } from './describe-action.ts'
import { explainApiError } from './explain-error.ts'
import { performAction } from './perform-action.ts'
import { mayChange, type Policy, permittedActions } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import type { Spending } from './spending.ts'
import { clip, MAX_CHARACTERS } from './to-text.ts'

export interface ActionsOptions {
  readonly context: SolverContext
  readonly policy: Policy
  readonly spending: Spending
  /** Required for exec_shell to be available. */
  readonly shell?: Shell | undefined
  /** Required for run_playbook to be available. */
  readonly playbooks?: Playbooks | undefined
  /** Receives failures of the machine, for which the agent is not to blame. */
  onFailure(error: RemediumError): void
}

export interface EpisodeActions extends Actions {
  readonly isSubmitted: boolean
  /** Resolves when the agent has submitted. */
  readonly submitted: Promise<void>
}

const reachOf = (name: string): ActionReach =>
  ACTIONS.find((action) => action.name === name)?.reach ?? 'nothing'

/** Allowed beyond the limit, for actions that append a line to an observation of full length. */
const EXTRA_CHARACTERS = 500

const toRefusal = (text: string): Observation => ({ ok: false, text: clip(text, MAX_CHARACTERS) })

/** Converts an error of an action to an observation. Rethrows failures of the machine, which an agent cannot fix. */
const toObservation = (error: unknown, { context, onFailure }: ActionsOptions): Observation => {
  if (error instanceof ActionRefusal) return toRefusal(error.message)
  if (error instanceof RemediumError && !['agent', 'operator'].includes(error.blame)) {
    onFailure(error)
    throw error
  }
  const message = error instanceof Error ? error.message : String(error)
  return toRefusal(explainApiError(error, context.briefing) ?? `The action failed: ${message}`)
}

/** Calls `onAbort` and rejects if the signal aborts before `work` has settled. */
const raceAbort = async <T>(work: Promise<T>, signal: AbortSignal, onAbort: () => void): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => {
    onAbort()
    aborted.reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const listPermitted = ({ context, policy, shell, playbooks }: ActionsOptions): readonly Action[] => {
  const missing = [
    ...(shell === undefined ? ['exec_shell'] : []),
    ...(playbooks === undefined ? ['run_playbook'] : []),
  ]
  return permittedActions(ACTIONS, policy, context.briefing.task).filter(
    ({ name }) => !missing.includes(name),
  )
}

export const createActions = (options: ActionsOptions): EpisodeActions => {
  const { context, policy, spending, shell, playbooks } = options
  const { briefing, signal } = context
  const permitted = listPermitted(options)
  const setting = {
    permitted,
    policy,
    solver: context,
    context: { ...context, shell, playbooks, rollback: policy.rollback ?? 'never' },
  }
  const submitted = Promise.withResolvers<void>()
  let isSubmitted = false

  const perform = async (name: string, input: unknown): Promise<Observation> => {
    try {
      const { observation, isLast } = await performAction(name, input, setting)
      if (isLast) isSubmitted = true
      return { ...observation, text: clip(observation.text, MAX_CHARACTERS + EXTRA_CHARACTERS) }
    } catch (error) {
      return toObservation(error, options)
    }
  }

  const noteStep = (action: string, input: unknown, observation: string): void =>
    context.note({ action, reach: reachOf(action), input, observation, ...spending.take() })

  return {
    available: permitted.map((action) => describeAction(action, !mayChange(action, briefing.task))),
    submitted: submitted.promise,
    get isSubmitted() {
      return isSubmitted
    },
    async call(name, input) {
      signal.throwIfAborted()
      if (isSubmitted) throw new Error('the agent has submitted')
      const observation = await raceAbort(perform(name, input), signal, () =>
        noteStep(name, input, `The action was aborted: ${(signal.reason as Error).message}.`),
      )
      noteStep(name, input ?? {}, observation.text)
      if (isSubmitted) submitted.resolve()
      return observation
    },
  }
}
