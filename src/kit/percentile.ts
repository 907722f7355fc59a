/** Percentiles by the nearest-rank method. */

/** Returns the smallest of the sorted values that at least this share does not exceed; undefined for an empty list. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
