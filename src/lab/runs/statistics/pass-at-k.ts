/** Unbiased estimates of success in k tries at the same problem. */

/** The probability that k elements, drawn from n without replacement, all belong to a subset of this size. */
const allFromSubset = (subsetSize: number, n: number, k: number): number => {
  let share = 1
  for (let chosen = 0; chosen < k; chosen += 1) share *= Math.max(0, subsetSize - chosen) / (n - chosen)
  return share
}

export interface Tries {
  readonly tries: number
  readonly successes: number
}

/** pass@k: the probability that at least one of k tries succeeds. */
export const passAtK = ({ tries, successes }: Tries, k: number): number =>
  1 - allFromSubset(tries - successes, tries, k)

/** pass^k: the probability that all of k tries succeed. */
export const passAllK = ({ tries, successes }: Tries, k: number): number => allFromSubset(successes, tries, k)

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

export interface PassShares {
  readonly k: number
  /** The number of problems with at least k tries; the shares are means over them. */
  readonly problems: number
  readonly atLeastOne: number
  readonly all: number
}

/** Computes the shares for each k up to the largest number of tries at a problem. */
export const passShares = (problems: readonly Tries[]): PassShares[] => {
  const maxTries = Math.max(0, ...problems.map(({ tries }) => tries))
  return Array.from({ length: maxTries }, (_, index) => {
    const k = index + 1
    const eligible = problems.filter(({ tries }) => tries >= k)
    return {
      k,
      problems: eligible.length,
      atLeastOne: meanOf(eligible.map((one) => passAtK(one, k))),
      all: meanOf(eligible.map((one) => passAllK(one, k))),
    }
  })
}
