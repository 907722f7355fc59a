/** Percentiles of what was measured, by the nearest rank. */

/** Of values in order: the least of which this share of them is no more; nothing where there are none. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
