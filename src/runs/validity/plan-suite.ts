/** What is to be tried with each problem of a suite, and what nobody can mean. */
import { nearestName } from '../../kit/index.ts'
import { type Problem, RemediumError } from '../../spec/index.ts'
import type { PlannedAttempt } from '../attempt.ts'
import { attemptWords, hackIn, type PlanOptions, planAttempts } from './plan-attempts.ts'

export type SuitePlan = readonly { readonly problem: Problem; readonly attempts: readonly PlannedAttempt[] }[]

const refuseTwins = (problems: readonly Problem[]): void => {
  const ids = new Set<string>()
  for (const { id } of problems) {
    if (ids.has(id)) throw new RemediumError('bad-file', `The problem ${id} is in the suite twice.`)
    ids.add(id)
  }
}

const refuseUnknown = (problems: readonly Problem[], options: PlanOptions): void => {
  const words = attemptWords(problems, options)
  const unknown = options.only?.find((word) => !words.includes(word) && !words.includes(hackIn(word) ?? word))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, words)
  throw new RemediumError('bad-argument', `There is no attempt "${unknown}" at these problems.`, {
    hint: `${nearest === undefined ? '' : `Did you mean "${nearest}"? `}Those there are: ${words.join(', ')}.`,
  })
}

/** Of each problem what is to be tried; those with which nothing is are left out. Throws where that are all. */
export const planSuite = (problems: readonly Problem[], options: PlanOptions): SuitePlan => {
  refuseTwins(problems)
  refuseUnknown(problems, options)
  const plan = problems
    .map((problem) => ({ problem, attempts: planAttempts(problem, options) }))
    .filter(({ attempts }) => attempts.length > 0)
  if (plan.length > 0) return plan
  throw new RemediumError('bad-argument', `Nothing is to be tried with any of ${problems.length} problems.`, {
    hint: 'Only what --only names is tried, and hacks only on the share that --hacks says.',
  })
}
