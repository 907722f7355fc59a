/** What the attempts prove of each problem, and of the suite. */
import type { Problem } from '../../spec/index.ts'
import { type AttemptResult, isAsExpected, type PlannedAttempt } from '../attempt.ts'
import type { Stages } from '../stages.ts'
import { DO_NOTHING, REFERENCE } from './plan-attempts.ts'

export interface ProblemValidity {
  readonly problem: Problem
  readonly valid: boolean
  /** In the order of the plan; one that was not made is absent. */
  readonly attempts: readonly AttemptResult[]
  /** Why it is not valid, one sentence for each attempt that went otherwise than it should. */
  readonly exceptions: readonly string[]
}

export interface Validity {
  readonly problems: readonly ProblemValidity[]
  readonly valid: number
  /** Per cent of the problems; 100 of none. */
  readonly share: number
  /** Of the attempts of the reference, or of whoever did right by doing nothing. */
  readonly medians: Partial<Stages>
  /** Attempts that the harness spoilt and that were made again. */
  readonly repeated: number
}

/** The middle one; of an even number the upper of the two. */
export const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[values.length >> 1]

const STAGES = ['inject', 'shown', 'report', 'act', 'verify', 'total'] as const satisfies (keyof Stages)[]

export const mediansOf = (attempts: readonly AttemptResult[]): Partial<Stages> =>
  Object.fromEntries(
    STAGES.flatMap((stage) => {
      const median = medianOf(attempts.flatMap(({ stages }) => stages[stage] ?? []))
      return median === undefined ? [] : [[stage, median]]
    }),
  )

const explain = ({ attempt, expected, outcome, reason }: AttemptResult): string =>
  outcome === 'void'
    ? `${attempt} could not be judged: ${reason}`
    : `${attempt} should ${expected === 'resolved' ? 'pass' : 'fail'} and ${outcome === 'resolved' ? 'passes' : 'fails'}: ${reason}`

const isRight = ({ attempt, expected }: AttemptResult): boolean =>
  attempt === REFERENCE || (attempt === DO_NOTHING && expected === 'resolved')

export const summarise = (
  plan: readonly { readonly problem: Problem; readonly attempts: readonly PlannedAttempt[] }[],
  results: readonly AttemptResult[],
): Validity => {
  const byKey = new Map(results.map((result) => [`${result.problem}\n${result.attempt}`, result]))
  const problems = plan.map(({ problem, attempts }): ProblemValidity => {
    const found = attempts.map(({ name }) => byKey.get(`${problem.id}\n${name}`))
    const made = found.filter((result) => result !== undefined)
    const exceptions = [
      ...made.filter((result) => !isAsExpected(result)).map(explain),
      ...attempts.filter((_, index) => found[index] === undefined).map(({ name }) => `${name} was not tried`),
    ]
    return { problem, valid: exceptions.length === 0, attempts: made, exceptions }
  })
  const valid = problems.filter((one) => one.valid).length
  const all = problems.flatMap(({ attempts }) => attempts)
  return {
    problems,
    valid,
    share: problems.length === 0 ? 100 : (100 * valid) / problems.length,
    medians: mediansOf(all.filter(isRight)),
    repeated: all.filter(({ tries }) => tries > 1).length,
  }
}
