/** A call that did not succeed, as the caller lived it. */

export type FailureKind =
  /** The name is not known. */
  | 'name'
  /** Nobody listens there, or no way leads there. */
  | 'refused'
  /** The connection broke before the answer was whole. */
  | 'reset'
  | 'timeout'
  /** All connections are in use, for longer than a call may wait. */
  | 'pool'
  /** The user or the password is not accepted, or may not do this. */
  | 'login'
  /** The answer says that it failed: HTTP 400 and more, a gRPC status, a Thrift exception, an error of the store. */
  | 'answer'

export class CallFailure extends Error {
  readonly kind: FailureKind
  /** Of HTTP and gRPC, where an answer came. */
  readonly status: number | undefined

  constructor(kind: FailureKind, message: string, status?: number) {
    super(message)
    this.kind = kind
    this.status = status
  }
}

/** What Node says of a socket, in these words. */
export const toCallFailure = (error: unknown): CallFailure => {
  if (error instanceof CallFailure) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new CallFailure('name', message)
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return new CallFailure('refused', message)
  if (code === 'ETIMEDOUT') return new CallFailure('timeout', message)
  return new CallFailure('reset', message)
}
