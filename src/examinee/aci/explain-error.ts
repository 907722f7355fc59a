/** Explains to an agent why an action failed. */
import type { z } from 'zod'
import type { Briefing } from '#spec'
import type { Action } from './define-action.ts'

const exampleOf = ({ example }: Action): string => JSON.stringify(example)

/** Names each invalid field and what was expected. */
export const explainInput = (action: Action, { issues }: z.core.$ZodError): string => {
  const mistakes = issues.slice(0, 5).map((issue) => {
    const field = issue.path.join('.')
    return field === '' ? issue.message : `${field}: ${issue.message}`
  })
  const fields = Object.keys(action.input.shape).join(', ') || 'none'
  return `The input of ${action.name} is invalid: ${mistakes.join('; ')}. Fields: ${fields}. Example input: ${exampleOf(action)}`
}

interface ApiError {
  readonly code: number
  readonly message: string
}

const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number'

/** Returns undefined if the error does not come from the API server. */
export const explainApiError = (error: unknown, { namespace }: Briefing): string | undefined => {
  if (!isApiError(error)) return undefined
  const { code, message } = error
  if (code === 403)
    return `Your account does not have this permission: ${message}. It has permissions in the namespace ${namespace}, and can read nodes.`
  return `The API server rejected the request (${code}): ${message}`
}
