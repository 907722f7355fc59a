/** Time that only ever goes forward, finer than a millisecond: for what acts on packets and not on objects. */

/** Milliseconds, with fractions, since this thread began. */
export const monotonicMs = (): number => performance.now()

/**
 * Milliseconds since the epoch, with fractions; goes forward evenly even where the clock of the system is set. From then on
 * it differs from that of processes that begin later.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now()

/** More than clocks drift apart while something runs, less than what a set clock is off; in milliseconds. */
export const MOST_CLOCK_DRIFT = 1000

/** By how much the clock of the system was set since this process began; the time that a machine slept counts, too. */
export const clockDrift = (): number => Date.now() - preciseNow()
