/** Monotonic time with a resolution below one millisecond. */

/** Milliseconds, with fractions, since this thread started. */
export const monotonicMs = (): number => performance.now()

/**
 * Milliseconds since the epoch, with fractions. Changes to the system clock do not affect it. After such a change,
 * processes started before and after it return different values.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now()

/** Larger than the normal drift of clocks, smaller than the jump when a clock is set. */
export const MAX_CLOCK_DRIFT_MS = 1000

/** Milliseconds by which the system clock has jumped since this process started. A suspension counts as a jump. */
export const clockDrift = (): number => Date.now() - preciseNow()
