/** An error with which a broker closes a channel or a connection. */

const CODES = {
  ACCESS_REFUSED: 403,
  NOT_FOUND: 404,
  RESOURCE_LOCKED: 405,
  PRECONDITION_FAILED: 406,
  FRAME_ERROR: 501,
  COMMAND_INVALID: 503,
  CHANNEL_ERROR: 504,
  NOT_ALLOWED: 530,
  NOT_IMPLEMENTED: 540,
  INTERNAL_ERROR: 541,
} as const

export class AmqpFailure extends Error {
  readonly code: number

  constructor(name: keyof typeof CODES, message: string) {
    super(`${name} - ${message}`)
    this.code = CODES[name]
  }

  /** Codes of 500 and above, and 403, close the whole connection. */
  get closesConnection(): boolean {
    return this.code >= 500 || this.code === 403
  }
}
