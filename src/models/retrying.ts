/** Asks again where that may help: with patience that grows, within bounds of tries and of time. */
import type { Clock, Random } from '../kit/index.ts'
import { type ModelRequest, RemediumError, type TokenUsage } from '../spec/index.ts'
import { Failure } from './failure.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export interface Patience {
  /** At most so many times is a model asked. */
  readonly tries: number
  /** For one try. */
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

/** One try with its time limit; what is thrown because of the caller's signal is the signal's reason. */
const tryOnce = async <T>(
  once: (signal: AbortSignal) => Promise<T>,
  { clock, model }: Tools,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<T> => {
  const limit = new AbortController()
  const late = new Failure(
    new RemediumError('model-failed', `${model} did not answer within ${Math.ceil(limitMs / 1000)} s.`),
    'wait',
  )
  const timer = clock.after(limitMs, () => limit.abort(late))
  try {
    return await once(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]))
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    throw limit.signal.aborted ? late : thrown
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
  once: (signal: AbortSignal) => Promise<T>,
  tools: Tools,
  { signal, onDelay }: Pick<ModelRequest, 'signal' | 'onDelay'>,
): Promise<Answered<T>> => {
  const { clock, patience } = tools
  const until = clock.now() + patience.totalMs
  let wasted = NO_USAGE
  let wastedUsd = 0
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted()
    const limitMs = Math.min(patience.timeoutMs, Math.max(1, until - clock.now()))
    try {
      return { value: await tryOnce(once, tools, limitMs, signal), tries, wasted, wastedUsd }
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
