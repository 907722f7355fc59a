/** Asks again where that may help: with patience that grows, within bounds of tries and of time. */
import type { Clock, Random } from '../kit/index.ts'
import { type ModelRequest, RemediumError, type TokenUsage } from '../spec/index.ts'
import { Failure } from './failure.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export interface Patience {
  /** At most so many times is a model asked. */
  readonly tries: number
  /** For one try until it answers; where answers come piece by piece, until the first and between two of them. */
  readonly timeoutMs: number
  /** For all tries and the waiting between them. */
  readonly totalMs: number
  /** The first wait is about so long, and each next one twice as long. */
  readonly backoffMs: number
}

export const DEFAULT_PATIENCE: Patience = {
  tries: 6,
  timeoutMs: 240_000,
  totalMs: 900_000,
  backoffMs: 1000,
}

const LONGEST_WAIT_MS = 60_000

export interface Answered<T> {
  readonly value: T
  readonly tries: number
  /** Of tries that were answered, and in vain. */
  readonly wasted: TokenUsage
  /** What those cost, as far as the provider says it. */
  readonly wastedUsd: number
}

interface Tools {
  readonly clock: Clock
  readonly random: Random
  readonly patience: Patience
  /** `provider:name` */
  readonly model: string
}

/** Waits, unless the signal comes first: then it rejects with its reason. */
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

/** Half to all of what is due, so that many workers do not come back at the same moment. */
const nextWait = (failure: Failure, failed: number, { random, patience }: Tools): number => {
  if (failure.again === 'at-once') return 0
  const due = Math.min(LONGEST_WAIT_MS, patience.backoffMs * 2 ** (failed - 1))
  const jittered = due * (0.5 + random.next() / 2)
  return failure.retryAfterMs === undefined ? jittered : failure.retryAfterMs + jittered / 10
}

/** `onPiece` is called when part of the answer has come. */
type Once<T> = (signal: AbortSignal, onPiece: () => void) => Promise<T>

/** One try with its time limits; what is thrown because of the caller's signal is the signal's reason. */
const tryOnce = async <T>(
  once: Once<T>,
  { clock, model, patience }: Tools,
  until: number,
  signal: AbortSignal | undefined,
): Promise<T> => {
  const limit = new AbortController()
  const startTimer = (silence: string) => {
    const limitMs = Math.min(patience.timeoutMs, Math.max(1, until - clock.now()))
    const message = `${model} ${silence} ${Math.ceil(limitMs / 1000)} s.`
    return clock.after(limitMs, () =>
      limit.abort(new Failure(new RemediumError('model-failed', message), 'wait')),
    )
  }
  let timer = startTimer('did not answer within')
  const onPiece = (): void => {
    timer.cancel()
    timer = startTimer('stopped in the middle of its answer for')
  }
  try {
    return await once(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]), onPiece)
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    throw limit.signal.aborted ? limit.signal.reason : thrown
  } finally {
    timer.cancel()
  }
}

const exhausted = (failure: Failure, tries: number, wasted: TokenUsage): RemediumError => {
  const { code, message, blame, hint } = failure.error
  const tokens = wasted.input + wasted.output
  const taken = tokens === 0 ? '' : `, which took ${tokens} tokens`
  return tries === 1
    ? failure.error
    : new RemediumError(code, `${message} (the last of ${tries} tries${taken})`, {
        blame,
        hint,
        cause: failure.error,
      })
}

/** `once` throws a Failure, or what is nobody's to ask again. */
export const retrying = async <T>(
  once: Once<T>,
  tools: Tools,
  { signal, onDelay }: Pick<ModelRequest, 'signal' | 'onDelay'>,
): Promise<Answered<T>> => {
  const { clock, patience } = tools
  const until = clock.now() + patience.totalMs
  let wasted = NO_USAGE
  let wastedUsd = 0
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted()
    try {
      return { value: await tryOnce(once, tools, until, signal), tries, wasted, wastedUsd }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      if (thrown.usage !== undefined) wasted = addUsage(wasted, thrown.usage)
      wastedUsd += thrown.costUsd ?? 0
      const waitMs = nextWait(thrown, tries, tools)
      const isOver = thrown.again === 'never' || tries >= patience.tries || clock.now() + waitMs >= until
      if (isOver) throw exhausted(thrown, tries, wasted)
      onDelay?.(thrown.error)
      await wait(clock, waitMs, signal)
      onDelay?.(thrown.error)
    }
  }
}
