/** The confidence interval of a resolved share, in which the tries of one problem form a cluster. */
import type { ProblemTries } from './problem-tries.ts'
import { type Interval, wilsonInterval } from './wilson-interval.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/**
 * The number of independent tries that would be as informative: the tries divided by the design effect, which is the variance
 * between the problems divided by the variance of independent tries. If all tries have the same result, there is no variance
 * to estimate, and each problem counts once.
 */
const effectiveTries = (problems: readonly ProblemTries[]): number => {
  const tries = sum(problems.map((one) => one.tries))
  if (tries === problems.length) return tries
  const share = sum(problems.map((one) => one.successes)) / tries
  const independentVariance = (share * (1 - share)) / tries
  if (independentVariance === 0 || problems.length < 2) return problems.length
  const squares = sum(problems.map((one) => (one.successes - share * one.tries) ** 2))
  const clusteredVariance = ((problems.length / (problems.length - 1)) * squares) / tries ** 2
  return tries / Math.max(1, clusteredVariance / independentVariance)
}

/** Wilson's score interval at 95 % for the effective number of tries; 0 to 1 if there are no tries. */
export const resolvedShareInterval = (problems: readonly ProblemTries[]): Interval => {
  const tries = sum(problems.map((one) => one.tries))
  if (tries === 0) return wilsonInterval(0, 0)
  const effective = effectiveTries(problems)
  return wilsonInterval((sum(problems.map((one) => one.successes)) / tries) * effective, effective)
}
