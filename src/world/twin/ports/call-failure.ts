/** The failure of a call, from the caller's side. */

export type FailureKind =
  /** The name does not resolve. */
  | 'name'
  /** The connection was refused, or there is no route. */
  | 'refused'
  /** The connection was closed before the response was complete. */
  | 'reset'
  | 'timeout'
  /** No connection of the pool became free in time. */
  | 'pool'
  /** Authentication or authorisation failed. */
  | 'login'
  /** The response is an error: an HTTP or gRPC error status, a Thrift exception, or an error of a store. */
  | 'answer'

export class CallFailure extends Error {
  readonly kind: FailureKind
  /** The HTTP or gRPC status, if there was a response. */
  readonly status: number | undefined

  constructor(kind: FailureKind, message: string, status?: number) {
    super(message)
    this.kind = kind
    this.status = status
  }
}

/** Classifies a socket error of Node. */
export const toCallFailure = (error: unknown): CallFailure => {
  if (error instanceof CallFailure) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new CallFailure('name', message)
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return new CallFailure('refused', message)
  if (code === 'ETIMEDOUT') return new CallFailure('timeout', message)
  return new CallFailure('reset', message)
}
