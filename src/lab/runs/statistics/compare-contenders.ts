/** Compares two contenders on the problems that both tried. */
import type { EpisodeResult } from '#spec'
import { groupTries } from './problem-tries.ts'
import type { Interval } from './wilson-interval.ts'

export interface Comparison {
  readonly first: string
  readonly second: string
  /** Problems with a judged episode of both. */
  readonly problems: number
  /** Problems with a judged episode of only one of them; they do not count. */
  readonly onlyFirst: number
  readonly onlySecond: number
  /** Problems on which one resolved a larger share of its tries than the other. */
  readonly firstBetter: number
  readonly secondBetter: number
  /** The share that the first resolved minus the share that the second resolved, averaged over the problems. */
  readonly difference: number
  /** The 95 % confidence interval of the difference. */
  readonly interval: Interval
  /**
   * The p-value of the two-sided sign test: the probability of counts that differ at least this much if both
   * contenders are equally good. With one try for each problem it is McNemar's exact test.
   */
  readonly p: number
}

/** The probability of at most `count` heads in `tosses` tosses of a fair coin. */
const binomialTail = (count: number, tosses: number): number => {
  let term = 0.5 ** tosses
  let total = 0
  for (let heads = 0; heads <= count; heads += 1) {
    total += term
    term *= (tosses - heads) / (heads + 1)
  }
  return total
}

/** Above about 1000 tosses, 0.5 ** tosses loses precision. */
const MAX_EXACT_TOSSES = 1000

const signTest = (first: number, second: number): number => {
  const tosses = first + second
  if (tosses === 0) return 1
  if (tosses > MAX_EXACT_TOSSES) return 2 * normalTail((Math.abs(first - second) - 1) / Math.sqrt(tosses))
  return Math.min(1, 2 * binomialTail(Math.min(first, second), tosses))
}

/** The upper tail of the normal distribution, by the approximation 26.2.17 of Abramowitz and Stegun. */
const normalTail = (z: number): number => {
  const t = 1 / (1 + 0.231_641_9 * z)
  const series = [0.319_381_53, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429]
  const polynomial = series.reduceRight((sum, coefficient) => (sum + coefficient) * t, 0)
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054

const clamp = (value: number): number => Math.min(1, Math.max(-1, value))

/** The interval of the mean of paired differences. With fewer than two pairs it is the whole range. */
const intervalOf = (differences: readonly number[], mean: number): Interval => {
  const count = differences.length
  if (count < 2) return { low: -1, high: 1 }
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  // Adds two pairs, one in favour of each contender, so that the interval is never empty (Agresti and Min).
  const spread = Math.sqrt((squares + (1 - mean) ** 2 + (1 + mean) ** 2) / (count + 1) / (count + 2))
  return { low: clamp(mean - Z * spread), high: clamp(mean + Z * spread) }
}

export interface ComparedContender {
  readonly name: string
  readonly results: readonly EpisodeResult[]
}

/** The share of resolved tries, by problem. */
const sharesOf = ({ results }: ComparedContender): Map<string, number> =>
  new Map(groupTries(results).map(({ problem, tries, successes }) => [problem, successes / tries]))

export const compareContenders = (first: ComparedContender, second: ComparedContender): Comparison => {
  const [firstShares, secondShares] = [sharesOf(first), sharesOf(second)]
  const common = [...firstShares.keys()].filter((problem) => secondShares.has(problem))
  const differences = common.map((problem) => firstShares.get(problem)! - secondShares.get(problem)!)
  const firstBetter = differences.filter((value) => value > 0).length
  const secondBetter = differences.filter((value) => value < 0).length
  const mean =
    common.length === 0 ? 0 : differences.reduce((total, value) => total + value, 0) / common.length
  return {
    first: first.name,
    second: second.name,
    problems: common.length,
    onlyFirst: firstShares.size - common.length,
    onlySecond: secondShares.size - common.length,
    firstBetter,
    secondBetter,
    difference: mean,
    interval: intervalOf(differences, mean),
    p: signTest(firstBetter, secondBetter),
  }
}

/** Compares each pair of contenders, in the given order. */
export const compareAll = (contenders: readonly ComparedContender[]): Comparison[] =>
  contenders.flatMap((first, index) =>
    contenders.slice(index + 1).map((second) => compareContenders(first, second)),
  )
