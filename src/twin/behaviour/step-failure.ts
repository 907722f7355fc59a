/** An endpoint that cannot go on: what its caller is told, and with which status. */

export class StepFailure extends Error {
  /** HTTP or gRPC; that of an internal error where absent. */
  readonly status: number | undefined
  /** What went wrong, where it is a call. */
  readonly peer: string | undefined

  constructor(message: string, status?: number, peer?: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.peer = peer
  }
}
