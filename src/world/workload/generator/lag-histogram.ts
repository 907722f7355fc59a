/** A histogram of delays in constant memory, with buckets of a tenth of a millisecond. */

export interface LagHistogram {
  add(ms: number): void
  /** The delay in milliseconds that `share` (0 to 1) of the samples do not exceed. */
  percentile(share: number): number
  readonly max: number
  readonly count: number
}

const STEPS_PER_MS = 10
/** Longer delays fall into the last bucket; `max` is exact. */
const MAX_MS = 10_000

export const createLagHistogram = (): LagHistogram => {
  const counts = new Uint32Array(MAX_MS * STEPS_PER_MS + 1)
  let maxMs = 0
  let count = 0
  return {
    add(ms) {
      counts[Math.min(counts.length - 1, Math.max(0, Math.floor(ms * STEPS_PER_MS)))]! += 1
      maxMs = Math.max(maxMs, ms)
      count += 1
    },
    percentile(share) {
      let remaining = Math.ceil(count * share)
      for (let step = 0; step < counts.length; step += 1) {
        remaining -= counts[step]!
        // The upper bound of the bucket: delays are never understated.
        if (remaining <= 0 && count > 0) return Math.min(maxMs, (step + 1) / STEPS_PER_MS)
      }
      return 0
    },
    get max() {
      return maxMs
    },
    get count() {
      return count
    },
  }
}
