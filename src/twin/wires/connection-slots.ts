/** A bound on how many calls have a connection at the same time; the others wait in order, for so long at most. */
import { CallFailure } from '../ports/index.ts'

export interface ConnectionSlots {
  /** Resolves when the caller may go on, who then calls `release` once. Rejects with a CallFailure `pool`. */
  take(): Promise<void>
  release(): void
}

interface Waiting {
  readonly go: () => void
  readonly timer: NodeJS.Timeout | undefined
}

export const createConnectionSlots = (size: number, waitMs?: number): ConnectionSlots => {
  const waiting = new Set<Waiting>()
  let taken = 0
  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(one)
        reject(new CallFailure('pool', `no connection of ${size} became free within ${waitMs} ms`))
      }
      const one: Waiting = {
        go: resolve,
        timer: waitMs === undefined ? undefined : setTimeout(giveUp, waitMs),
      }
      waiting.add(one)
    })
  return {
    take: () => {
      if (taken >= size) return wait()
      taken += 1
      return Promise.resolve()
    },
    release: () => {
      const [next] = waiting
      if (next === undefined) taken -= 1
      else {
        waiting.delete(next)
        clearTimeout(next.timer)
        next.go()
      }
    },
  }
}
