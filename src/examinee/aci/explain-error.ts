/** Explains to an agent why an action failed. */
import type { z } from 'zod'
import { type Briefing, taskOf } from '#spec'
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

const describePermissions = ({ task, namespace }: Briefing): string =>
  taskOf(task).repairs
    ? `It may read and change objects in the namespace ${namespace}, and may read, cordon, taint, label and annotate nodes.`
    : `It may read objects in the namespace ${namespace}, and nodes. It may not change anything.`

/** Returns undefined if the error does not come from the API server. */
export const explainApiError = (error: unknown, briefing: Briefing): string | undefined => {
  if (!isApiError(error)) return undefined
  const { code, message } = error
  if (code === 403)
    return `Your account does not have this permission: ${message}. ${describePermissions(briefing)}`
  return `The API server rejected the request (${code}): ${message}`
}
