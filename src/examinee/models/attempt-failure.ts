/** Why one attempt to ask a model failed, and whether to retry. */
import type { RemediumError, TokenUsage } from '#spec'

export class AttemptFailure extends Error {
  override readonly name = 'Failure'
  /** The error to report if no further attempt is made. */
  readonly error: RemediumError
  /** `wait`: retry after a delay; `at-once`: retry immediately, without the refused feature; `never`: do not retry. */
  readonly retry: 'wait' | 'at-once' | 'never'
  /** The minimum delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The tokens of an answer that was received but is unusable. */
  readonly usage: TokenUsage | undefined
  /** The cost of that answer, if the provider reports it. */
  readonly costUsd: number | undefined

  constructor(
    error: RemediumError,
    retry: AttemptFailure['retry'],
    details: Partial<Pick<AttemptFailure, 'retryAfterMs' | 'usage' | 'costUsd'>> = {},
  ) {
    super(error.message)
    this.error = error
    this.retry = retry
    this.retryAfterMs = details.retryAfterMs
    this.usage = details.usage
    this.costUsd = details.costUsd
  }
}
