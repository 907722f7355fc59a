/** What went wrong with an action, in words that help whoever called it. */
import type { z } from 'zod'
import type { Briefing } from '../spec/index.ts'
import type { Action } from './define-action.ts'

const exampleOf = ({ example }: Action): string => JSON.stringify(example)

/** Names each field that is wrong and what was expected. */
export const explainInput = (action: Action, { issues }: z.core.$ZodError): string => {
  const wrong = issues.slice(0, 5).map((issue) => {
    const field = issue.path.join('.')
    return field === '' ? issue.message : `${field}: ${issue.message}`
  })
  const fields = Object.keys(action.input.shape).join(', ') || 'none'
  return `The input of ${action.name} is wrong: ${wrong.join('; ')}. Its fields are: ${fields}. An example: ${exampleOf(action)}`
}

interface ApiFailure {
  readonly code: number
  readonly message: string
}

const isApiFailure = (error: unknown): error is ApiFailure =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number'

/** Of errors that the API answered with; nothing of others. */
export const explainApiError = (error: unknown, { namespace }: Briefing): string | undefined => {
  if (!isApiFailure(error)) return undefined
  const { code, message } = error
  if (code === 403)
    return `Your account may not do this: ${message}. You have rights in the namespace ${namespace}, and may look at nodes.`
  return `The API server refused it (${code}): ${message}`
}
