/** Ends a run of steps with an error for the caller. */

export class StepFailure extends Error {
  /** A status of HTTP or gRPC; by default that of an internal error. */
  readonly status: number | undefined
  /** The upstream of a failed call. */
  readonly peer: string | undefined

  constructor(message: string, status?: number, peer?: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.peer = peer
  }
}
