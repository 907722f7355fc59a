/** Monotonic time with a resolution below one millisecond. */

/** Milliseconds, with fractions, since this thread started. */
export const monotonicMs = (): number => performance.now()

/**
 * Milliseconds since the epoch, with fractions. Unaffected by changes of the system clock; after such a change it differs
 * from the value in processes that start later.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now()

/** Larger than the normal drift of clocks, smaller than the jump when a clock is set. */
export const MAX_CLOCK_DRIFT_MS = 1000

/** Milliseconds by which the system clock was set since this process started, including suspensions. */
export const clockDrift = (): number => Date.now() - preciseNow()
