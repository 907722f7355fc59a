/** How late things were, for hours, in little memory: a count for each tenth of a millisecond. */

export interface LagHistogram {
  add(ms: number): void
  /** `share` of them were at most so late. */
  percentile(share: number): number
  readonly most: number
  readonly count: number
}

const STEPS_PER_MS = 10
/** What is later counts as this late, but for `most`. */
const BOUND_MS = 10_000

export const createLagHistogram = (): LagHistogram => {
  const counts = new Uint32Array(BOUND_MS * STEPS_PER_MS + 1)
  let most = 0
  let count = 0
  return {
    add(ms) {
      counts[Math.min(counts.length - 1, Math.max(0, Math.floor(ms * STEPS_PER_MS)))]! += 1
      most = Math.max(most, ms)
      count += 1
    },
    percentile(share) {
      let left = Math.ceil(count * share)
      for (let step = 0; step < counts.length; step += 1) {
        left -= counts[step]!
        // The upper end of the step, so that nothing looks earlier than it was.
        if (left <= 0 && count > 0) return Math.min(most, (step + 1) / STEPS_PER_MS)
      }
      return 0
    },
    get most() {
      return most
    },
    get count() {
      return count
    },
  }
}
