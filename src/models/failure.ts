/** Why one try of asking a model came to nothing, and what is to be done about it. */
import type { RemediumError, TokenUsage } from '../spec/index.ts'

export class Failure extends Error {
  override readonly name = 'Failure'
  /** What to tell when it was the last try. */
  readonly error: RemediumError
  /** `wait`: ask again after a while; `at-once`: ask again, in another way; `never`: it will not get better. */
  readonly again: 'wait' | 'at-once' | 'never'
  /** How long the provider wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Of an answer that was given, and counted, but cannot be used. */
  readonly usage: TokenUsage | undefined
  /** What that cost, where the provider says it. */
  readonly costUsd: number | undefined

  constructor(
    error: RemediumError,
    again: Failure['again'],
    details: Partial<Pick<Failure, 'retryAfterMs' | 'usage' | 'costUsd'>> = {},
  ) {
    super(error.message)
    this.error = error
    this.again = again
    this.retryAfterMs = details.retryAfterMs
    this.usage = details.usage
    this.costUsd = details.costUsd
  }
}
