/** Percentiles by the nearest-rank method. */

/** Returns the smallest value that is at least as large as this share of the values; undefined for an empty list. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
