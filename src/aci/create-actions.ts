/** The actions of one episode, under a policy; each call is a step in the record. */
import { z } from 'zod'
import { nearestName } from '../kit/index.ts'
import { type Actions, type Observation, RemediumError, type SolverContext } from '../spec/index.ts'
import { ACTIONS } from './action-registry.ts'
import { type Action, type ActionContext, ActionRefusal } from './define-action.ts'
import { explainApiError, explainInput } from './explain-error.ts'
import { mayChange, type Policy, permittedActions } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import type { Spending } from './spending.ts'
import { clip, MOST_LETTERS } from './to-text.ts'

export interface ActionsOptions {
  readonly context: SolverContext
  readonly policy: Policy
  readonly spending: Spending
  /** Without one there is no exec_shell. */
  readonly shell?: Shell | undefined
  /** Without one there is no run_playbook. */
  readonly playbooks?: Playbooks | undefined
  /** Told of what the machine did wrong, once. */
  onFailure(error: RemediumError): void
}

export interface EpisodeActions extends Actions {
  readonly isSubmitted: boolean
  /** Resolves when the agent has submitted. */
  readonly submitted: Promise<void>
}

const toDescription = (action: Action, isReadOnly: boolean): Actions['available'][number] => {
  const { $schema: _, ...input } = z.toJSONSchema(action.input, { io: 'input' })
  return {
    name: action.name,
    input,
    isReadOnly,
    about: `${action.about}\nExample input: ${JSON.stringify(action.example)}`,
  }
}

/** Models write arguments as text at times, and null for what they leave out. */
const tidyInput = (input: unknown): unknown => {
  let value = input ?? {}
  if (typeof value === 'string')
    try {
      value = value.trim() === '' ? {} : JSON.parse(value)
    } catch {
      return value
    }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
}

/** Of an action; whatever is longer is none. */
const MOST_OF_A_NAME = 100

const refusal = (text: string): Observation => ({ ok: false, text: clip(text, MOST_LETTERS) })

export const createActions = (options: ActionsOptions): EpisodeActions => {
  const { context, policy, spending } = options
  const { briefing, signal } = context
  const isFurnished = ({ name }: Action): boolean =>
    name === 'exec_shell'
      ? options.shell !== undefined
      : name !== 'run_playbook' || options.playbooks !== undefined
  const permitted = permittedActions(ACTIONS, policy, briefing.task).filter(isFurnished)
  const available = permitted.map((action) => toDescription(action, !mayChange(action, briefing.task)))
  const names = permitted.map(({ name }) => name)
  const actionContext: ActionContext = {
    ...context,
    shell: options.shell,
    playbooks: options.playbooks,
    rollback: policy.rollback ?? 'never',
  }
  const submitted = Promise.withResolvers<void>()
  let isSubmitted = false

  const find = (name: string): Action => {
    if (name.length > MOST_OF_A_NAME)
      throw new ActionRefusal(
        `No action has a name of ${name.length} letters. The actions are: ${names.join(', ')}.`,
      )
    const found = permitted.find((action) => action.name === name)
    if (found !== undefined) return found
    const near = nearestName(name, names)
    throw new ActionRefusal(
      ACTIONS.some((action) => action.name === name)
        ? `The action ${name} is not allowed in this task. You may use: ${names.join(', ')}.`
        : `There is no action "${name}"${near === undefined ? '' : `; did you mean ${near}`}. The actions are: ${names.join(', ')}.`,
    )
  }

  const approve = async (action: Action, input: unknown): Promise<void> => {
    if (policy.approve === undefined || !mayChange(action, briefing.task)) return
    const { isApproved, reason } = await policy.approve({ action: action.name, input })
    if (isApproved) return
    throw new ActionRefusal(
      `A human did not approve this ${action.name}${reason === undefined ? '' : `: ${reason}`}. Nothing was done. Try another way, or submit.`,
    )
  }

  const perform = async (name: string, given: unknown): Promise<Observation> => {
    const action = find(name)
    const parsed = action.input.safeParse(tidyInput(given))
    if (!parsed.success) throw new ActionRefusal(explainInput(action, parsed.error))
    await approve(action, parsed.data)
    signal.throwIfAborted()
    const running = action.run(actionContext, parsed.data as never)
    // What is being ended by force still acts, and that is the agent's doing.
    if (mayChange(action, briefing.task)) context.untilEnded(running)
    const observation = await running
    if (action.isLast === true && observation.ok) isSubmitted = true
    return { ...observation, text: clip(observation.text, MOST_LETTERS + 500) }
  }

  /** What the machine did wrong is nothing that an agent could do better. */
  const toObservation = (error: unknown): Observation => {
    if (error instanceof ActionRefusal) return refusal(error.message)
    if (error instanceof RemediumError && !['agent', 'operator'].includes(error.blame)) {
      options.onFailure(error)
      throw error
    }
    const message = error instanceof Error ? error.message : String(error)
    return refusal(explainApiError(error, briefing) ?? `It failed: ${message}`)
  }

  const note = (action: string, input: unknown, observation: string): void =>
    context.note({ action, input, observation, ...spending.take() })

  return {
    available,
    submitted: submitted.promise,
    get isSubmitted() {
      return isSubmitted
    },
    async call(name, input) {
      signal.throwIfAborted()
      if (isSubmitted) throw new Error('the agent has submitted')
      const cut = Promise.withResolvers<never>()
      const onAbort = (): void => {
        note(name, input, `It was cut off: ${(signal.reason as Error).message}.`)
        cut.reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const observation = await Promise.race([perform(name, input).catch(toObservation), cut.promise])
        signal.removeEventListener('abort', onAbort)
        note(name, input ?? {}, observation.text)
        if (isSubmitted) submitted.resolve()
        return observation
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
  }
}
