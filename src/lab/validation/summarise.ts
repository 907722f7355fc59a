/** Summarises the results of the attempts for each problem and for the suite. */
import { medianOf, type StageTimes } from '#lab/records'
import { isUnsupported, type Problem } from '#spec'
import { type AttemptResult, isAsExpected, type PlannedAttempt } from './attempt.ts'
import { DO_NOTHING, REFERENCE } from './plan-attempts.ts'

export interface ProblemValidity {
  readonly problem: Problem
  readonly valid: boolean
  /** The attempts that were made, in the order of the plan. */
  readonly attempts: readonly AttemptResult[]
  /** Why it is not valid: one sentence for each unexpected outcome, one for all void attempts with the same reason. */
  readonly exceptions: readonly string[]
  /** Attempts that were retried, and why. */
  readonly retries: readonly string[]
  /** Hacks that were drawn, but found nothing to damage. */
  readonly idle: readonly string[]
}

export interface Validity {
  readonly problems: readonly ProblemValidity[]
  readonly valid: number
  /** The percentage of problems that are valid; 0 if there are none. */
  readonly share: number
  /** Over the attempts that should pass: the reference, or doing nothing. */
  readonly medians: Partial<StageTimes>
  /** Whether the plan of some problem lacks an attempt that is needed to prove it valid. */
  readonly isPartial: boolean
  /** The number of attempts that were retried. */
  readonly retried: number
  /** The number of attempts that used an unsupported feature of the engine. They prove nothing. */
  readonly unsupported: number
}

const STAGES = [
  'inject',
  'impact',
  'report',
  'solve',
  'verify',
  'total',
] as const satisfies (keyof StageTimes)[]

export const mediansOf = (attempts: readonly AttemptResult[]): Partial<StageTimes> =>
  Object.fromEntries(
    STAGES.flatMap((stage) => {
      const median = medianOf(attempts.flatMap(({ stages }) => stages[stage] ?? []))
      return median === undefined ? [] : [[stage, median]]
    }),
  )

const explainOutcome = ({ attempt, expected, outcome, reason }: AttemptResult): string =>
  `${attempt} should ${expected === 'resolved' ? 'pass' : 'fail'} and ${outcome === 'resolved' ? 'passes' : 'fails'}: ${reason}`

/** Attempts that are void for the same reason share a sentence. */
const explainVoids = (attempts: readonly AttemptResult[]): string[] => {
  const voids = attempts.filter(({ outcome }) => outcome === 'void')
  return Object.entries(Object.groupBy(voids, ({ reason }) => reason)).map(([reason, group = []]) => {
    const [{ attempt }, ...more] = group as [AttemptResult, ...AttemptResult[]]
    const names = more.length === 0 ? attempt : `${attempt} and ${more.length} more`
    return `${names} ${more.length === 0 ? 'is' : 'are'} void: ${reason}`
  })
}

const explainTries = ({ attempt, tries, failures = [] }: AttemptResult): string =>
  `${attempt} needed ${tries} tries: ${failures.join(' ')}`

const shouldPass = ({ attempt, expected }: AttemptResult): boolean =>
  attempt === REFERENCE || (attempt === DO_NOTHING && expected === 'resolved')

/** Whether the plan has the attempts that every proof needs: doing nothing, and the reference if it differs. */
const isComplete = (attempts: readonly PlannedAttempt[]): boolean =>
  attempts.some(({ name, expected }) => name === DO_NOTHING && expected === 'resolved') ||
  [DO_NOTHING, REFERENCE].every((required) => attempts.some(({ name }) => name === required))

export const summarise = (
  plan: readonly { readonly problem: Problem; readonly attempts: readonly PlannedAttempt[] }[],
  results: readonly AttemptResult[],
): Validity => {
  const byKey = new Map(results.map((result) => [`${result.problem}\n${result.attempt}`, result]))
  const problems = plan.map(({ problem, attempts }): ProblemValidity => {
    const found = attempts.map(({ name }) => byKey.get(`${problem.id}\n${name}`))
    const made = found.filter((result) => result !== undefined)
    const exceptions = [
      ...made.filter((result) => result.outcome !== 'void' && !isAsExpected(result)).map(explainOutcome),
      ...explainVoids(made),
      ...attempts.filter((_, index) => found[index] === undefined).map(({ name }) => `${name} was not tried`),
      ...(attempts.length === 0 ? ['no attempt was planned'] : []),
    ]
    // Void attempts are already listed as exceptions.
    const retries = made.filter(({ tries, outcome }) => tries > 1 && outcome !== 'void').map(explainTries)
    const idle = made
      .filter(({ isIdle }) => isIdle)
      .map(({ attempt }) => `${attempt} found nothing to damage, and proves nothing`)
    return { problem, valid: exceptions.length === 0, attempts: made, exceptions, retries, idle }
  })
  const valid = problems.filter((one) => one.valid).length
  const all = problems.flatMap(({ attempts }) => attempts)
  return {
    problems,
    valid,
    share: problems.length === 0 ? 0 : (100 * valid) / problems.length,
    medians: mediansOf(all.filter(shouldPass)),
    isPartial: plan.some(({ attempts }) => !isComplete(attempts)),
    retried: all.filter(({ tries }) => tries > 1).length,
    unsupported: all.filter(isUnsupported).length,
  }
}
