/** Time that only ever goes forward, finer than a millisecond: for what acts on packets and not on objects. */

/** Milliseconds, with fractions, since this thread began. */
export const monotonicMs = (): number => performance.now()

/** Milliseconds since the epoch, with fractions; goes forward evenly even where the clock of the system is set. */
export const preciseNow = (): number => performance.timeOrigin + performance.now()
