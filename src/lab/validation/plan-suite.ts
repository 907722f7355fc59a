/** Plans the attempts at each problem of a suite, and rejects invalid options. */
import { findNearestName } from '#kit'
import { type Problem, RemediumError } from '#spec'
import type { SuitePlan } from './attempt.ts'
import { drawSample } from './draw-sample.ts'
import { listAttemptNames, type PlanOptions, planAttempts, shortNameOf } from './plan-attempts.ts'

const rejectDuplicates = (problems: readonly Problem[]): void => {
  const ids = new Set<string>()
  for (const { id } of problems) {
    if (ids.has(id)) throw new RemediumError('bad-file', `The suite contains the problem ${id} twice.`)
    ids.add(id)
  }
}

const rejectUnknownAttempts = (problems: readonly Problem[], options: PlanOptions): void => {
  const names = listAttemptNames(problems, options)
  const unknown = options.only?.find((name) => !names.includes(name) && !names.includes(shortNameOf(name)))
  if (unknown === undefined) return
  const nearest = findNearestName(unknown, names)
  throw new RemediumError('bad-argument', `There is no attempt "${unknown}" at these problems.`, {
    hint: `${nearest === undefined ? '' : `Did you mean "${nearest}"? `}The attempts are: ${names.join(', ')}.`,
  })
}

/** Skips problems without attempts. Throws if no problem is left. */
export const planSuite = (problems: readonly Problem[], options: PlanOptions): SuitePlan => {
  rejectDuplicates(problems)
  rejectUnknownAttempts(problems, options)
  const plan = problems
    .map((problem) => ({ problem, attempts: planAttempts(problem, options) }))
    .filter(({ attempts }) => attempts.length > 0)
  const { sample, seed } = options
  if (plan.length > 0) return sample === undefined ? plan : drawSample(plan, { count: sample, seed })
  throw new RemediumError(
    'bad-argument',
    `No attempts are selected for any of the ${problems.length} problems.`,
    {
      hint: '--only selects attempts, and --hacks selects the problems on which hacks are tried.',
    },
  )
}
