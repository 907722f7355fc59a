/** Walks that somebody asks for, beside those of the load: one after another, by users of their own. */
import type { LoopSurroundings } from './loop-surroundings.ts'
import { createUser, type User } from './user.ts'

/** Of all journeys together: more would measure how many there are, and keep a whole machine busy. */
const AT_A_TIME = 1
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
  /** Resolves when all have ended. */
  walk(journey: string, times: number): Promise<void>
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
  const queue: (() => void)[] = []
  let taken = 0
  const giveWay = (): void => {
    const next = queue.shift()
    if (next === undefined) taken -= 1
    else next()
  }
  const turn = async (): Promise<() => void> => {
    if (taken < AT_A_TIME) taken += 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    let isTaken = true
    const leave = (): void => {
      if (isTaken) giveWay()
      isTaken = false
    }
    const timer = around.clock.after(PATIENCE_MS, leave)
    return () => {
      timer.cancel()
      leave()
    }
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
    async walk(name, times) {
      orders += 1
      if (!around.journeys.has(name)) return
      left.set(name, (left.get(name) ?? 0) + times)
      const walkInTurn = async (): Promise<void> => {
        const leave = await turn()
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
