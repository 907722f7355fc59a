/** Walks that somebody asks for, beside those of the load: few at a time, by users of their own. */
import type { LoopSurroundings } from './loop-surroundings.ts'
import { createUser, type User } from './user.ts'

/** Who waits longer than this for an end keeps nobody else from beginning. */
const PATIENCE_MS = 500
/** Their numbers must not be those of the load's users, whose accounts would be theirs. */
const FIRST_NUMBER = 100_000

export interface ProbeState {
  /** How many orders to walk have come so far. */
  readonly orders: number
  /** By journey: those that have not ended, also where they have not begun. */
  readonly left: Readonly<Record<string, number>>
  /** Those on their way, with milliseconds since the epoch at which they began. */
  readonly pending: readonly (readonly [journey: string, began: number])[]
}

export interface Probes {
  /**
   * Resolves when all have ended. Of all journeys together no more than `atATime` are on their way when one of these begins,
   * itself counted: more would measure how many there are, and keep a whole machine busy.
   */
  walk(journey: string, times: number, atATime?: number): Promise<void>
  state(): ProbeState
  /** Later walks are by users who know nothing. */
  renewUsers(): void
}

export const createProbes = (around: LoopSurroundings): Probes => {
  const random = around.random.fork('probes')
  const free: User[] = []
  const left = new Map<string, number>()
  const pending = new Set<readonly [string, number]>()
  let orders = 0
  let generation = 0
  let users = 0
  let walks = 0

  /** Those who wait for their turn, in order. */
  const queue: { readonly atATime: number; begin(): void }[] = []
  let taken = 0
  const letBegin = (): void => {
    while (queue.length > 0 && taken < queue[0]!.atATime) {
      taken += 1
      queue.shift()!.begin()
    }
  }
  const turn = async (atATime: number): Promise<() => void> => {
    await new Promise<void>((begin) => {
      queue.push({ atATime, begin })
      letBegin()
    })
    let isTaken = true
    const leave = (): void => {
      if (!isTaken) return
      isTaken = false
      taken -= 1
      letBegin()
    }
    const timer = around.clock.after(PATIENCE_MS, leave)
    return () => {
      timer.cancel()
      leave()
    }
  }

  /** By journey: when the next may begin. */
  const nextAt = new Map<string, number>()
  const pause = async (name: string): Promise<void> => {
    const now = around.now()
    const at = Math.max(now, nextAt.get(name) ?? 0)
    nextAt.set(name, at + around.journeys.get(name)!.leastPauseMs)
    if (at > now) await new Promise<void>((resolve) => around.clock.after(at - now, resolve))
  }

  const walkOne = async (name: string): Promise<void> => {
    const since = generation
    const user = free.pop() ?? createUser(FIRST_NUMBER + users++, around.now)
    const began = around.now()
    const underWay = [name, began] as const
    pending.add(underWay)
    await around.walk(around.journeys.get(name)!, user, began, random.fork(`walk ${walks++}`))
    pending.delete(underWay)
    left.set(name, left.get(name)! - 1)
    if (since === generation) free.push(user)
  }

  return {
    async walk(name, times, atATime = 1) {
      orders += 1
      if (!around.journeys.has(name)) return
      left.set(name, (left.get(name) ?? 0) + times)
      const walkInTurn = async (): Promise<void> => {
        await pause(name)
        const leave = await turn(atATime)
        if (around.isStopping()) left.set(name, left.get(name)! - 1)
        else await walkOne(name)
        leave()
      }
      await Promise.all(Array.from({ length: times }, walkInTurn))
    },
    state: () => ({
      orders,
      left: Object.fromEntries([...left].filter(([, count]) => count > 0)),
      pending: [...pending],
    }),
    renewUsers() {
      generation += 1
      free.length = 0
    },
  }
}
