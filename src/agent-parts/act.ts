/** Taking the actions that a model asked for, whatever it wrote as their input. */
import type { Actions, Observation, ToolCall } from '../spec/index.ts'

/** What an action can be given at all. */
export const isInput = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Input that is no object is told to the model without a step being spent on it. */
export const act = async (actions: Actions, { name, input }: ToolCall): Promise<Observation> => {
  if (isInput(input)) return actions.call(name, input)
  const given = typeof input === 'string' ? input : JSON.stringify(input)
  const shown = (given ?? 'nothing').slice(0, 200)
  return {
    ok: false,
    text: `The input of ${name} must be one JSON object, and this is none: ${shown}`,
  }
}

/** For a model: whether it worked is said first. */
export const toToolText = ({ ok, text }: Observation): string => (ok ? text : `This did not work. ${text}`)

/** Ends the episode for the agent, without answers where those it has are refused. */
export const submit = async (actions: Actions, answers: unknown): Promise<Observation> => {
  const given = isInput(answers) ? answers : {}
  const observation = await actions.call('submit', given)
  if (observation.ok || Object.keys(given).length === 0) return observation
  return actions.call('submit', {})
}
