/** The confidence interval of a share. */

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054

/** Wilson's score interval at 95 %; 0 to 1 if there are no trials. */
export const wilsonInterval = (successes: number, trials: number): Interval => {
  if (trials === 0) return { low: 0, high: 1 }
  const share = successes / trials
  const scale = 1 + Z ** 2 / trials
  const centre = (share + Z ** 2 / (2 * trials)) / scale
  const halfWidth = (Z / scale) * Math.sqrt((share * (1 - share)) / trials + Z ** 2 / (4 * trials ** 2))
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - halfWidth),
    high: successes === trials ? 1 : Math.min(1, centre + halfWidth),
  }
}
