/** Calls a forked process and waits for its replies. A process that ends or sends nothing for too long is lost. */
import { type Clock, createRealClock, type Timer } from '#kit'
import type { ForkedProcess } from '#machine/forks'
import { type ErrorCode, RemediumError } from '#spec'
import { type ForkCall, type ForkMessage, ORDER_ID } from './fork-messages.ts'

export interface ForkCaller {
  readonly pid: number
  readonly ended: Promise<void>
  /** Resolves with the reply to the order with which the process was forked. */
  readonly started: Promise<unknown>
  /** Rejects with the failure of the call, or with `cluster-lost` if the process is lost. */
  call(input: unknown): Promise<unknown>
  end(): void
}

export interface ForkCallerOptions {
  readonly silenceMs: number
  readonly clock?: Clock
  onStage(text: string): void
  onAlive?(): void
}

interface Pending {
  resolve(result: unknown): void
  reject(error: RemediumError): void
}

const toLoss = (reason: string): RemediumError =>
  new RemediumError('cluster-lost', `The process of the attempt is lost: ${reason}`)

export const createForkCaller = (
  process: Pick<ForkedProcess, 'pid' | 'ended' | 'onMessage' | 'send' | 'end'>,
  {
    silenceMs,
    clock = createRealClock({ keepsAlive: true }),
    onStage,
    onAlive = () => {},
  }: ForkCallerOptions,
): ForkCaller => {
  const pending = new Map<number, Pending>()
  let loss: RemediumError | undefined
  let timeout: Timer | undefined
  let lastId = ORDER_ID
  const lose = (reason: string): void => {
    timeout?.cancel()
    loss ??= toLoss(reason)
    for (const { reject } of pending.values()) reject(loss)
    pending.clear()
  }
  const watch = (): void => {
    timeout?.cancel()
    timeout = undefined
    if (pending.size === 0) return
    timeout = clock.after(silenceMs, () => {
      lose(`it sent nothing for ${Math.round(silenceMs / 1000)} s.`)
      process.end()
    })
  }
  const waitFor = (id: number): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (loss !== undefined) reject(loss)
    else pending.set(id, { resolve, reject })
    watch()
    return promise
  }
  const started = waitFor(ORDER_ID)
  started.catch(() => {})
  process.onMessage((received) => {
    const message = received as ForkMessage
    if (message.kind === 'stage') onStage(message.text)
    else if (message.kind === 'alive') onAlive()
    else {
      const waiting = pending.get(message.id)
      pending.delete(message.id)
      if (message.kind === 'result') waiting?.resolve(message.result)
      else {
        const { code, message: text, blame, hint } = message.failure
        waiting?.reject(new RemediumError(code as ErrorCode, text, { blame, hint }))
      }
    }
    watch()
  })
  void process.ended.then(() => lose('it has ended.'))
  return {
    pid: process.pid,
    ended: process.ended,
    started,
    call(input) {
      lastId += 1
      const reply = waitFor(lastId)
      process.send({ id: lastId, input } satisfies ForkCall)
      return reply
    },
    end: () => process.end(),
  }
}
