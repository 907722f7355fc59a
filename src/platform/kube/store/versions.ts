/**
 * The resource versions of a store. They follow the clock, so that the difference between two of them tells the time
 * between them and not the number of writes: a client could count writes to objects that it must not see.
 */
import type { Clock } from '#kit'

/** A write every microsecond for as long as the clock stands still within a millisecond. */
const VERSIONS_PER_MS = 1000

export interface Versions {
  /** The present version: at least that of the latest write, and lower than that of the next one. */
  current(): number
  /** The version of a new write. */
  next(): number
}

/** Without a clock, and while the clock does not advance, versions count the writes. */
export const createVersions = (clock?: Pick<Clock, 'now'>): Versions => {
  const start = clock?.now() ?? 0
  /** The highest version that was given, and so the lowest present one if the clock is set back. */
  let last = 0
  const elapsed = (): number =>
    clock === undefined ? 0 : Math.floor((clock.now() - start) * VERSIONS_PER_MS)
  return {
    current() {
      last = Math.max(last, elapsed())
      return last
    },
    // One more than the elapsed time: a read does not change the versions of the writes that follow.
    next() {
      last = Math.max(last, elapsed()) + 1
      return last
    },
  }
}
