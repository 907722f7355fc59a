/** Maps the time of an arrival pattern to real time; a factor of 2 doubles the arrivals. */

export interface Pace {
  /** When a moment of the pattern is due; both in milliseconds. */
  timeOf(patternMs: number): number
  /** The same pace until `now`; after it the pattern runs at `factor` times its written speed. */
  withFactor(factor: number, now: number): Pace
}

const paceFrom = (time: number, patternAt: number, factor: number): Pace => ({
  timeOf: (patternMs) => time + (patternMs - patternAt) / factor,
  withFactor: (next, now) => paceFrom(now, patternAt + (now - time) * factor, next),
})

/** The pace as written. */
export const createPace = (begin: number): Pace => paceFrom(begin, 0, 1)
