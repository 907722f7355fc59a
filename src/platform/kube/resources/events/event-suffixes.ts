/**
 * The suffixes of the names of events: the time in nanoseconds, as in a real cluster. They do not count events: a client could
 * count those that it must not see.
 */
import type { Clock } from '#kit'

const NANOSECONDS_PER_MS = 1_000_000n

/** Returns a function that never returns the same suffix twice. */
export const createEventSuffixes = ({ now }: Pick<Clock, 'now'>): (() => string) => {
  let last = 0n
  return () => {
    const time = BigInt(Math.floor(now())) * NANOSECONDS_PER_MS + 1n
    last = time > last ? time : last + 1n
    return last.toString(16)
  }
}
