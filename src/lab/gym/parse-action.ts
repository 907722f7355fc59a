/** Parses the actions of agents. Everything that an agent sends counts as an action; a malformed one is explained to the agent. */
import { isPlainObject } from '#kit'

export interface GymAction {
  readonly name: string
  readonly input?: unknown
}

export interface ParsedAction extends GymAction {
  /** Why the action is malformed; for the agent. */
  readonly mistake?: string
}

const EXPECTED = 'An action is an object with the fields "name" (text) and "input" (object).'

export const parseAction = (raw: unknown): ParsedAction => {
  if (!isPlainObject(raw)) return { name: '', mistake: EXPECTED }
  const { name, input } = raw
  if (typeof name !== 'string')
    return { name: '', mistake: `The field "name" is missing or not a text. ${EXPECTED}` }
  return { name, input }
}
