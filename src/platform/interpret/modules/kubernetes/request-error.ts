/** The errors of the dynamic client of Python: rejected requests, and mistakes that the client detects without a request. */
import { bytesRepr } from '../../python/python-text.ts'

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** A request that the server rejected. */
export class RequestError extends Error {
  readonly status: number
  /** The phrase of the HTTP status. */
  readonly reason: string
  /** The body as the `repr` of Python bytes. */
  readonly body: string
  /** The message of the Status. */
  readonly detail: string

  constructor(status: number, body: string, detail: string) {
    const reason = REASONS[status] ?? ''
    const shown = bytesRepr(body)
    // Omits the headers of the answer, which Python also lists: they differ in every run.
    super(`${status}\nReason: ${reason}\nHTTP response body: ${shown}`)
    this.status = status
    this.reason = reason
    this.body = shown
    this.detail = detail
  }
}

/** A mistake that the client detects without a request. */
export class ClientError extends Error {}

interface StatusLike extends Error {
  readonly code: number
  toStatus?(): object
}

const isStatus = (error: unknown): error is StatusLike =>
  error instanceof Error && typeof (error as Partial<StatusLike>).code === 'number'

export const toRequestError = (error: unknown): unknown => {
  if (!isStatus(error)) return error
  const status = error.toStatus?.() ?? { message: error.message, code: error.code }
  return new RequestError(error.code, `${JSON.stringify(status)}\n`, error.message)
}
