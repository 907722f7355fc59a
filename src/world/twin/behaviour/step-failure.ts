/** Thrown to end the steps of a request with an error for the caller. */

export class StepFailure extends Error {
  /** An HTTP or gRPC status; an internal error by default. */
  readonly status: number | undefined
  /** The upstream of a failed call. */
  readonly peer: string | undefined

  constructor(message: string, status?: number, peer?: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.peer = peer
  }
}
