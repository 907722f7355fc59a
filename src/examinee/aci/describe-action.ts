/** Describes an action to agents. */
import { z } from 'zod'
import type { ActionDescription } from '#spec'
import type { Action } from './define-action.ts'

export const describeAction = (action: Action, isReadOnly: boolean): ActionDescription => {
  const { $schema: _, ...input } = z.toJSONSchema(action.input, { io: 'input' })
  return {
    name: action.name,
    input,
    isReadOnly,
    reach: action.reach,
    about: `${action.about}\nExample input: ${JSON.stringify(action.example)}`,
  }
}
