/** Combines the terms of a reward so that no unresolved attempt beats a resolved one. */
import type { RewardTerm } from './reward-terms.ts'

export interface RewardOptions {
  /**
   * The share of the reward that the terms decide, more than 0 and less than 0.5. A resolved attempt gets at least 1 minus this share,
   * an unresolved one at most this share.
   */
  readonly share: number
  /** The weights of the terms that count; without any, the reward is 1 or 0. */
  readonly weights: Readonly<Partial<Record<RewardTerm, number>>>
}

export type TermValues = Readonly<Partial<Record<RewardTerm, number>>>

export const MAX_SHARE = 0.49
export const DEFAULT_SHARE = 0.3

export const BINARY_REWARD: RewardOptions = { share: DEFAULT_SHARE, weights: {} }

const clamp = (value: number): number => (value > 0 ? Math.min(1, value) : 0)

/** The mean of the values by weight, from 0 to 1; undefined if no value counts. */
const meanOf = (values: TermValues, weights: RewardOptions['weights']): number | undefined => {
  let [sum, total] = [0, 0]
  for (const [term, value] of Object.entries(values) as [RewardTerm, number][]) {
    const weight = weights[term] ?? 0
    if (!(weight > 0)) continue
    sum += weight * clamp(value)
    total += weight
  }
  return total === 0 ? undefined : clamp(sum / total)
}

export const combineTerms = (isResolved: boolean, values: TermValues, options: RewardOptions): number => {
  const mean = meanOf(values, options.weights)
  if (mean === undefined) return isResolved ? 1 : 0
  const share = Math.min(options.share, MAX_SHARE)
  return isResolved ? 1 - share + share * mean : share * mean
}
