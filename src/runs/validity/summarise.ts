/** What the attempts prove of each problem, and of the suite. */
import type { Problem } from '../../spec/index.ts'
import { type AttemptResult, isAsExpected, type PlannedAttempt } from '../attempt.ts'
import type { Stages } from '../stages.ts'
import { medianOf } from '../statistics/median.ts'
import { DO_NOTHING, REFERENCE } from './plan-attempts.ts'

export interface ProblemValidity {
  readonly problem: Problem
  readonly valid: boolean
  /** In the order of the plan; one that was not made is absent. */
  readonly attempts: readonly AttemptResult[]
  /** Why it is not valid: a sentence for each attempt that went otherwise than it should, one for all with the same void. */
  readonly exceptions: readonly string[]
  /** What had to be begun more than once, and why, a sentence for each attempt. */
  readonly repetitions: readonly string[]
}

export interface Validity {
  readonly problems: readonly ProblemValidity[]
  readonly valid: number
  /** Per cent of the problems; 0 of none. */
  readonly share: number
  /** Of the attempts of the reference, or of whoever did right by doing nothing. */
  readonly medians: Partial<Stages>
  /** Whether what proves a problem was not all asked for. */
  readonly isPartial: boolean
  /** Attempts that were begun more than once. */
  readonly repeated: number
}

const STAGES = ['inject', 'shown', 'report', 'act', 'verify', 'total'] as const satisfies (keyof Stages)[]

export const mediansOf = (attempts: readonly AttemptResult[]): Partial<Stages> =>
  Object.fromEntries(
    STAGES.flatMap((stage) => {
      const median = medianOf(attempts.flatMap(({ stages }) => stages[stage] ?? []))
      return median === undefined ? [] : [[stage, median]]
    }),
  )

const explain = ({ attempt, expected, outcome, reason }: AttemptResult): string =>
  `${attempt} should ${expected === 'resolved' ? 'pass' : 'fail'} and ${outcome === 'resolved' ? 'passes' : 'fails'}: ${reason}`

/** What spoils one attempt often spoils all that come after it. */
const explainVoids = (attempts: readonly AttemptResult[]): string[] => {
  const voids = attempts.filter(({ outcome }) => outcome === 'void')
  return Object.entries(Object.groupBy(voids, ({ reason }) => reason)).map(([reason, group = []]) => {
    const [{ attempt }, ...more] = group as [AttemptResult, ...AttemptResult[]]
    const names = more.length === 0 ? attempt : `${attempt} and ${more.length} more`
    return `${names} could not be judged: ${reason}`
  })
}

const explainTries = ({ attempt, tries, failures = [] }: AttemptResult): string =>
  `${attempt} was begun ${tries} times: ${failures.join(' ')}`

const isRight = ({ attempt, expected }: AttemptResult): boolean =>
  attempt === REFERENCE || (attempt === DO_NOTHING && expected === 'resolved')

/** Both what should fail and what should pass; where doing nothing is right it is both. */
const isWhole = (attempts: readonly PlannedAttempt[]): boolean =>
  attempts.some(({ name, expected }) => name === DO_NOTHING && expected === 'resolved') ||
  [DO_NOTHING, REFERENCE].every((wanted) => attempts.some(({ name }) => name === wanted))

export const summarise = (
  plan: readonly { readonly problem: Problem; readonly attempts: readonly PlannedAttempt[] }[],
  results: readonly AttemptResult[],
): Validity => {
  const byKey = new Map(results.map((result) => [`${result.problem}\n${result.attempt}`, result]))
  const problems = plan.map(({ problem, attempts }): ProblemValidity => {
    const found = attempts.map(({ name }) => byKey.get(`${problem.id}\n${name}`))
    const made = found.filter((result) => result !== undefined)
    const exceptions = [
      ...made.filter((result) => result.outcome !== 'void' && !isAsExpected(result)).map(explain),
      ...explainVoids(made),
      ...attempts.filter((_, index) => found[index] === undefined).map(({ name }) => `${name} was not tried`),
      ...(attempts.length === 0 ? ['nothing was to be tried'] : []),
    ]
    // What was given up is an exception.
    const repetitions = made.filter(({ tries, outcome }) => tries > 1 && outcome !== 'void').map(explainTries)
    return { problem, valid: exceptions.length === 0, attempts: made, exceptions, repetitions }
  })
  const valid = problems.filter((one) => one.valid).length
  const all = problems.flatMap(({ attempts }) => attempts)
  return {
    problems,
    valid,
    share: problems.length === 0 ? 0 : (100 * valid) / problems.length,
    medians: mediansOf(all.filter(isRight)),
    isPartial: plan.some(({ attempts }) => !isWhole(attempts)),
    repeated: all.filter(({ tries }) => tries > 1).length,
  }
}
