/** Describes events of an episode for the operator's terminal. */
import { ACTIONS } from '#examinee/aci'
import { defined } from '#kit'
import { type EpisodeEvent, LABORATORY_PLAYBOOK, type ModelAnswer } from '#spec'

const ACTION_NAMES: ReadonlySet<string> = new Set([...ACTIONS.map(({ name }) => name), LABORATORY_PLAYBOOK])

/** Agents control the name of an action, and this text goes to a terminal. */
const toSafeName = (action: string): string => (ACTION_NAMES.has(action) ? action : 'an unknown action')

/** The current activity of the episode, in a word or two. */
export const activityIn = (event: EpisodeEvent): string | undefined => {
  if (event.type === 'step-taken') return toSafeName(event.action)
  if (event.type === 'model-called') return event.model
  return event.type === 'solver-ended' ? 'judging' : undefined
}

type Usage = Pick<ModelAnswer, 'usage' | 'costUsd'>

const usageIn = (event: EpisodeEvent): readonly Usage[] => {
  if (event.type === 'model-called') return [event.answer]
  if (event.type !== 'usage-reported') return []
  return [{ usage: event.tokens, ...defined({ costUsd: event.costUsd }) }]
}

/** The tokens and the cost of models so far, including those that an agent reported; empty if none. */
export const costText = (events: readonly EpisodeEvent[]): string => {
  const answers = events.flatMap(usageIn)
  const sum = (amountOf: (answer: Usage) => number): number =>
    answers.reduce((total, answer) => total + amountOf(answer), 0)
  const [input, output] = [sum(({ usage }) => usage.input), sum(({ usage }) => usage.output)]
  if (input + output === 0) return ''
  const isPriced = answers.every(({ costUsd }) => costUsd !== undefined)
  const cost = isPriced ? `, $${sum(({ costUsd }) => costUsd!).toFixed(4)}` : ''
  return ` (so far: ${input} tokens in, ${output} out${cost})`
}
