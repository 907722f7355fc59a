/** Parses and checks the options of rewards. */
import { findNearestName } from '#kit'
import { RemediumError } from '#spec'
import { BINARY_REWARD, DEFAULT_SHARE, MAX_SHARE, type RewardOptions } from './combine-terms.ts'
import { REWARD_TERM_NAMES, type RewardTerm } from './reward-terms.ts'

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const checkTerm = (name: string): RewardTerm => {
  if (REWARD_TERM_NAMES.includes(name as RewardTerm)) return name as RewardTerm
  const near = findNearestName(name, REWARD_TERM_NAMES)
  throw badArgument(
    `There is no reward term "${name}".`,
    near === undefined ? `The terms are: ${REWARD_TERM_NAMES.join(', ')}.` : `Did you mean "${near}"?`,
  )
}

const MAX_WEIGHT = 1000

/** Throws if a term does not exist, or a number is out of range. */
export const checkReward = ({ share, weights }: Partial<RewardOptions>): RewardOptions => {
  const checkedShare = share ?? DEFAULT_SHARE
  if (!(checkedShare > 0 && checkedShare <= MAX_SHARE))
    throw badArgument(
      `The share of the reward terms must be more than 0 and at most ${MAX_SHARE}, not ${share}.`,
    )
  for (const [name, weight] of Object.entries(weights ?? {})) {
    checkTerm(name)
    if (typeof weight !== 'number' || !(weight >= 0 && weight <= MAX_WEIGHT))
      throw badArgument(`The weight of the reward term ${name} must be 0 to ${MAX_WEIGHT}, not ${weight}.`)
  }
  return { share: checkedShare, weights: weights ?? {} }
}

/** Parses `users-recovered=2,cause-gone`; a term without a number has the weight 1. Empty text means the reward is 1 or 0. */
export const parseReward = (text: string, share: number = BINARY_REWARD.share): RewardOptions => {
  const weights = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): [string, number] => {
      const [name, weight] = part.split('=', 2) as [string, string | undefined]
      return [checkTerm(name.trim()), weight === undefined ? 1 : Number(weight.trim() || Number.NaN)]
    })
  return checkReward({ share, weights: Object.fromEntries(weights) })
}
