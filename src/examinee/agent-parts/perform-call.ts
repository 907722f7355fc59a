/** Performs the tool calls of a model as actions. */
import { isPlainObject } from '#kit'
import type { Actions, Observation, ToolCall } from '#spec'

/** Rejects an input that is not an object without spending a step on it. */
export const performCall = async (actions: Actions, { name, input }: ToolCall): Promise<Observation> => {
  if (isPlainObject(input)) return actions.call(name, input)
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const shown = (text ?? 'nothing').slice(0, 200)
  return {
    ok: false,
    text: `The input of ${name} must be a JSON object. Received: ${shown}`,
  }
}

/** Converts an observation to a tool result. A failure starts with `Error: `. */
export const toToolText = ({ ok, text }: Observation): string => (ok ? text : `Error: ${text}`)

/** Submits the answers, or no answers if these are refused. */
export const submit = async (actions: Actions, answers: unknown): Promise<Observation> => {
  const fields = isPlainObject(answers) ? answers : {}
  const observation = await actions.call('submit', fields)
  if (observation.ok || Object.keys(fields).length === 0) return observation
  return actions.call('submit', {})
}
