/** Spearman's rank correlation: how well the order of two lists of values agrees, whatever their scales are. */

/** The ranks of the values; equal values share the mean of their ranks. */
const ranksOf = (values: readonly number[]): number[] => {
  const order = values.map((value, index) => ({ value, index })).sort((one, other) => one.value - other.value)
  const ranks = new Array<number>(values.length)
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && order[end]!.value === order[start]!.value) end += 1
    for (const { index } of order.slice(start, end)) ranks[index] = (start + end - 1) / 2
    start = end
  }
  return ranks
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** From -1 to 1. Undefined if there are fewer than three pairs, or if all values of a list are equal. */
export const rankCorrelation = (pairs: readonly (readonly [number, number])[]): number | undefined => {
  if (pairs.length < 3) return undefined
  const [one, other] = [0, 1].map((index) => ranksOf(pairs.map((pair) => pair[index]!))) as [
    number[],
    number[],
  ]
  const [meanOfOne, meanOfOther] = [meanOf(one), meanOf(other)]
  let [covariance, variance, otherVariance] = [0, 0, 0]
  for (const [index, rank] of one.entries()) {
    const [deviation, otherDeviation] = [rank - meanOfOne, other[index]! - meanOfOther]
    covariance += deviation * otherDeviation
    variance += deviation ** 2
    otherVariance += otherDeviation ** 2
  }
  return variance === 0 || otherVariance === 0 ? undefined : covariance / Math.sqrt(variance * otherVariance)
}
