/** Walks that somebody asks for, beside those of the load: a few at a time, by users of their own. */
import type { LoopSurroundings } from './loop-surroundings.ts'
import { createUser, type User } from './user.ts'

/** Of one journey at the same time: more would measure how many there are. */
const AT_A_TIME = 2
/** Their numbers must not be those of the load's users, whose accounts would be theirs. */
const FIRST_NUMBER = 100_000

export interface Probes {
  /** Resolves when all have ended. */
  walk(journey: string, times: number): Promise<void>
  /** Later walks are by users who know nothing. */
  renewUsers(): void
}

export const createProbes = (around: LoopSurroundings): Probes => {
  const random = around.random.fork('probes')
  const free: User[] = []
  let generation = 0
  let users = 0
  let walks = 0

  const walkOne = async (name: string): Promise<void> => {
    const since = generation
    const user = free.pop() ?? createUser(FIRST_NUMBER + users++, around.now)
    await around.walk(around.journeys.get(name)!, user, around.now(), random.fork(`walk ${walks++}`))
    if (since === generation) free.push(user)
  }

  return {
    async walk(name, times) {
      let left = around.journeys.has(name) ? times : 0
      const goOn = async (): Promise<void> => {
        while (left > 0 && !around.isStopping()) {
          left -= 1
          await walkOne(name)
        }
      }
      await Promise.all(Array.from({ length: Math.min(AT_A_TIME, times) }, goOn))
    },
    renewUsers() {
      generation += 1
      free.length = 0
    },
  }
}
