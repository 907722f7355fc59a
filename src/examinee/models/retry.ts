/** Retries failed attempts with exponential backoff, within limits on attempts and time. */
import type { Clock, Random } from '#kit'
import { type ModelRequest, RemediumError, type TokenUsage } from '#spec'
import { AttemptFailure } from './attempt-failure.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export interface RetryLimits {
  /** The maximum number of attempts. */
  readonly tries: number
  /** The limit for one attempt; for a streamed answer, the limit until the first part and between two parts. */
  readonly timeoutMs: number
  /** The limit for all attempts and the waits between them. */
  readonly totalMs: number
  /** The length of the first wait. Each further wait is twice as long. */
  readonly backoffMs: number
}

export const DEFAULT_RETRY_LIMITS: RetryLimits = {
  tries: 6,
  timeoutMs: 240_000,
  totalMs: 900_000,
  backoffMs: 1000,
}

const MAX_WAIT_MS = 60_000

export interface RetryResult<T> {
  readonly value: T
  readonly tries: number
  /** The tokens of unusable answers. */
  readonly wasted: TokenUsage
  /** The cost of those answers, as far as the provider reports it. */
  readonly wastedUsd: number
}

interface RetryOptions {
  readonly clock: Clock
  readonly random: Random
  readonly limits: RetryLimits
  /** `provider:name` */
  readonly model: string
}

/** Rejects with the reason of the signal if it aborts first. */
const wait = (clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = (): void => {
      timer.cancel()
      reject(signal!.reason)
    }
    const timer = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })

/** Randomises the wait, so that workers do not retry at the same moment. */
const toWaitMs = (
  failure: AttemptFailure,
  failedAttempts: number,
  { random, limits }: RetryOptions,
): number => {
  if (failure.retry === 'at-once') return 0
  const backoffMs = Math.min(MAX_WAIT_MS, limits.backoffMs * 2 ** (failedAttempts - 1))
  const jitteredMs = backoffMs * (0.5 + random.next() / 2)
  return failure.retryAfterMs === undefined ? jitteredMs : failure.retryAfterMs + jitteredMs / 10
}

/** `onPiece` is called when a part of a streamed answer has arrived. */
type Attempt<T> = (signal: AbortSignal, onPiece: () => void) => Promise<T>

/** Makes one attempt with its time limits. If the caller's signal aborts, it rejects with the signal's reason. */
const attemptOnce = async <T>(
  attempt: Attempt<T>,
  { clock, model, limits }: RetryOptions,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<T> => {
  const timeout = new AbortController()
  const startTimer = (silence: string) => {
    const limitMs = Math.min(limits.timeoutMs, Math.max(1, deadline - clock.now()))
    const message = `${model} ${silence} ${Math.ceil(limitMs / 1000)} s.`
    return clock.after(limitMs, () =>
      timeout.abort(new AttemptFailure(new RemediumError('model-failed', message), 'wait')),
    )
  }
  let timer = startTimer('did not answer within')
  const onPiece = (): void => {
    timer.cancel()
    timer = startTimer('sent no further part of its answer for')
  }
  try {
    return await attempt(
      signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      onPiece,
    )
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    throw timeout.signal.aborted ? timeout.signal.reason : thrown
  } finally {
    timer.cancel()
  }
}

const toFinalError = (failure: AttemptFailure, tries: number, wasted: TokenUsage): RemediumError => {
  const { code, message, blame, hint } = failure.error
  const tokens = wasted.input + wasted.output
  const tokenText = tokens === 0 ? '' : `, which took ${tokens} tokens`
  return tries === 1
    ? failure.error
    : new RemediumError(code, `${message} (after ${tries} attempts${tokenText})`, {
        blame,
        hint,
        cause: failure.error,
      })
}

/** Retries if `attempt` throws an `AttemptFailure`. Other errors are rethrown. */
export const retry = async <T>(
  attempt: Attempt<T>,
  options: RetryOptions,
  { signal, onDelay }: Pick<ModelRequest, 'signal' | 'onDelay'>,
): Promise<RetryResult<T>> => {
  const { clock, limits } = options
  const deadline = clock.now() + limits.totalMs
  let wasted = NO_USAGE
  let wastedUsd = 0
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted()
    try {
      return { value: await attemptOnce(attempt, options, deadline, signal), tries, wasted, wastedUsd }
    } catch (thrown) {
      if (!(thrown instanceof AttemptFailure)) throw thrown
      if (thrown.usage !== undefined) wasted = addUsage(wasted, thrown.usage)
      wastedUsd += thrown.costUsd ?? 0
      const waitMs = toWaitMs(thrown, tries, options)
      const isLast = thrown.retry === 'never' || tries >= limits.tries || clock.now() + waitMs >= deadline
      if (isLast) throw toFinalError(thrown, tries, wasted)
      onDelay?.(thrown.error)
      await wait(clock, waitMs, signal)
      onDelay?.(thrown.error)
    }
  }
}
