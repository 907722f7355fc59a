/** Maps the time of an arrival pattern to real time; a factor of 2 doubles the rate of arrivals. */

export interface Pace {
  /** Converts a time of the pattern to the time at which it is due; both in milliseconds. */
  timeOf(patternMs: number): number
  /** From `now` on, the pattern runs at `factor` times its original speed. */
  withFactor(factor: number, now: number): Pace
}

const createPaceFrom = (time: number, patternAt: number, factor: number): Pace => ({
  timeOf: (patternMs) => time + (patternMs - patternAt) / factor,
  withFactor: (next, now) => createPaceFrom(now, patternAt + (now - time) * factor, next),
})

/** Creates a pace with the original speed of the pattern. */
export const createPace = (begin: number): Pace => createPaceFrom(begin, 0, 1)
