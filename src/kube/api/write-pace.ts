/** How fast one user may write through the server; whoever is faster is asked to come again, as clients know to. */
import type { Clock } from '../../kit/index.ts'
import { tooManyRequests } from '../meta/index.ts'
import type { User } from '../ports/index.ts'

export interface WritePace {
  /** Counts a write with a body of so many bytes. Throws TooManyRequests. */
  count(user: User, bytes: number): void
}

/** A write costs one, and one more for each of these in its body. */
const CHUNK_BYTES = 4096
/** What is gained in a second, and what may be saved up: large systems are applied at once. */
const PER_SECOND = 200
const SAVED_UP = 20_000
const MOST_USERS = 1000

interface Purse {
  left: number
  at: number
}

export const createWritePace = (clock: Clock): WritePace => {
  const purses = new Map<string, Purse>()
  const leftOf = ({ left, at }: Purse, now: number): number =>
    Math.min(SAVED_UP, left + ((now - at) / 1000) * PER_SECOND)

  /** Of whom everything is saved up nothing need be known. */
  const forgetRich = (now: number): void => {
    for (const [name, purse] of purses) if (leftOf(purse, now) === SAVED_UP) purses.delete(name)
  }

  return {
    count({ username, impersonator }, bytes) {
      // Whoever acts as others pays himself: names cost nothing.
      const name = impersonator?.username ?? username
      const now = clock.now()
      const left = leftOf(purses.get(name) ?? { left: SAVED_UP, at: now }, now)
      const cost = 1 + bytes / CHUNK_BYTES
      if (left < cost) throw tooManyRequests('Too many requests, please try again later.', 1)
      if (purses.size >= MOST_USERS) forgetRich(now)
      purses.set(name, { left: left - cost, at: now })
    },
  }
}
