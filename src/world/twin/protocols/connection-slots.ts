/** Limits concurrent connections; further calls wait in order, for at most `waitMs` if it is set. */
import type { ProgramTime } from '#spec'
import { CallFailure } from '#world/twin/ports'

export interface ConnectionSlots {
  /**
   * Resolves when a slot is free; the caller must call `release` once. Rejects with a CallFailure of kind
   * `pool`.
   */
  acquire(): Promise<void>
  release(): void
}

interface Waiter {
  readonly grant: () => void
  readonly cancelTimeout: (() => void) | undefined
}

export const createConnectionSlots = (
  size: number,
  waitMs: number | undefined,
  time: Pick<ProgramTime, 'after'>,
): ConnectionSlots => {
  const waiting = new Set<Waiter>()
  let used = 0
  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const onTimeout = (): void => {
        waiting.delete(waiter)
        reject(new CallFailure('pool', `none of the ${size} connections became free within ${waitMs} ms`))
      }
      const waiter: Waiter = {
        grant: resolve,
        cancelTimeout: waitMs === undefined ? undefined : time.after(waitMs, onTimeout),
      }
      waiting.add(waiter)
    })
  return {
    acquire: () => {
      if (used >= size) return wait()
      used += 1
      return Promise.resolve()
    },
    release: () => {
      const [next] = waiting
      if (next === undefined) used -= 1
      else {
        waiting.delete(next)
        next.cancelTimeout?.()
        next.grant()
      }
    },
  }
}
