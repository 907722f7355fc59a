/** The middle of some numbers. */

/** The middle one; of an even number the upper of the two. */
export const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[values.length >> 1]
