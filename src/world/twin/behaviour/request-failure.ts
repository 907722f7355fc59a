/** The failure of a request, for its caller and for the log. */
import type { LogFormat } from '#spec'
import { CallFailure } from '#world/twin/ports'
import { StepFailure } from './step-failure.ts'

export interface RequestFailure {
  readonly status: number
  readonly message: string
  /** Whether the failure counts as an error of the service; for an RPC, every failure does. */
  readonly isServerError: boolean
}

const INTERNAL = { http: 500, rpc: 13 } as const

const statusOf = (error: unknown, isRpc: boolean): number => {
  if (error instanceof StepFailure && error.status !== undefined) return error.status
  // The body of the request is invalid.
  if (error instanceof CallFailure && error.status === 400) return isRpc ? 3 : 400
  return isRpc ? INTERNAL.rpc : INTERNAL.http
}

export const toRequestFailure = (error: unknown, isRpc: boolean): RequestFailure => {
  const status = statusOf(error, isRpc)
  const message = error instanceof Error ? error.message : String(error)
  return { status, message, isServerError: isRpc || status >= 500 }
}

/** Returns the text that the framework of the original logs for an unhandled failure. */
export const describeUnhandled = (format: LogFormat, message: string): string => {
  if (format === 'spring')
    return `Servlet.service() for servlet [dispatcherServlet] in context with path [] threw exception [Request processing failed; nested exception is ${message}] with root cause`
  return format === 'python' ? `Exception calling application: ${message}` : message
}
