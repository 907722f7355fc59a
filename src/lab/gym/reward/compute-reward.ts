/** Computes the reward of an attempt from its record and verdict. */
import { combineTerms, type RewardOptions, type TermValues } from './combine-terms.ts'
import { type JudgedAttempt, REWARD_TERM_NAMES, REWARD_TERMS } from './reward-terms.ts'

export interface Reward {
  /** From 0 to 1; null for a void attempt, which says nothing about the agent. */
  readonly value: number | null
  /** The values of all terms that apply, whether or not they count. */
  readonly terms: TermValues
}

export const computeReward = (attempt: JudgedAttempt, options: RewardOptions): Reward => {
  const { outcome } = attempt.verdict
  if (outcome === 'void') return { value: null, terms: {} }
  const terms: TermValues = Object.fromEntries(
    REWARD_TERM_NAMES.flatMap((term) => {
      const value = REWARD_TERMS[term](attempt)
      return value === undefined ? [] : [[term, value]]
    }),
  )
  return { value: combineTerms(outcome === 'resolved', terms, options), terms }
}
