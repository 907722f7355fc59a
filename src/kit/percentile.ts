/** Percentiles by the nearest-rank method. */

/** Returns the smallest value that at least this share of the values do not exceed; undefined if empty. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
