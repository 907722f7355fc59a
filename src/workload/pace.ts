/** How fast the time of a pattern passes: twice as fast, and twice as many arrive. */

export interface Pace {
  /** When a moment of the pattern comes; both in milliseconds. */
  timeOf(patternMs: number): number
  /** The same up to `now`, and so many times as fast as a pattern is written from then on. */
  changed(factor: number, now: number): Pace
}

const paceFrom = (time: number, patternAt: number, factor: number): Pace => ({
  timeOf: (patternMs) => time + (patternMs - patternAt) / factor,
  changed: (next, now) => paceFrom(now, patternAt + (now - time) * factor, next),
})

/** As fast as it is written. */
export const createPace = (begin: number): Pace => paceFrom(begin, 0, 1)
