/** What must be tried with a problem before anybody may be judged by it, and what should come of each attempt. */
import { createRandom } from '../../kit/index.ts'
import type { Fault, Hack, Problem, SystemView } from '../../spec/index.ts'
import type { PlannedAttempt } from '../attempt.ts'
import { answerHacks } from './answer-hacks.ts'

export const DO_NOTHING = 'do-nothing'
export const REFERENCE = 'reference'
const HACK = 'hack '
/** Words for several attempts. */
const RIGHT = 'right'
const HACKS = 'hacks'

export const isHack = ({ name }: Pick<PlannedAttempt, 'name'>): boolean => name.startsWith(HACK)

/** The hack that an attempt tries; nothing of the others. */
export const hackIn = (attempt: string): string | undefined =>
  attempt.startsWith(HACK) ? attempt.slice(HACK.length) : undefined

export interface PlanOptions {
  readonly faults: ReadonlyMap<string, Fault>
  readonly commonHacks: readonly Hack[]
  systemOf(name: string): SystemView
  /** Of the problems, on which hacks are tried: 0 to 1, drawn from the seed. */
  readonly hackShare: number
  readonly seed: string
  /** Only these: `do-nothing`, `reference`, `right` (that should pass), `hacks`, or the name of a hack; all where absent. */
  readonly only?: readonly string[]
}

/** Nothing but actions counts, and doing nothing is an answer too. */
const isActing = ({ task }: Problem): boolean => task === 'mitigation' || task === 'remediation'

/** Whether it is right to change nothing. */
const isLeftAlone = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind === 'transient')

/** What should come of doing nothing, and so of a hack that could do nothing. */
export const expectedOfNothing = (problem: Problem): PlannedAttempt['expected'] =>
  isActing(problem) && isLeftAlone(problem) ? 'resolved' : 'unresolved'

const hackNames = (problem: Problem, options: PlanOptions): string[] => {
  const cheap = answerHacks(problem, options.systemOf(problem.system), options.faults)
  // Hacks act on what is broken; where nothing is, there is nothing that they could be about.
  const acts = isActing(problem) || problem.task === 'end-to-end'
  const actions = acts && problem.faults.length > 0 ? actingHacks(problem, options) : []
  return [...new Set([...cheap, ...actions].map(({ name }) => name))]
}

const actingHacks = (
  { faults: planned }: Problem,
  { faults, commonHacks }: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): Hack[] => [...planned.flatMap(({ fault }) => faults.get(fault)?.hacks ?? []), ...commonHacks]

const isDrawn = ({ id }: Problem, { seed, hackShare }: PlanOptions): boolean =>
  createRandom(`${seed}/hacks/${id}`).next() < hackShare

const isWanted = ({ name, expected }: PlannedAttempt, only: readonly string[] | undefined): boolean =>
  only === undefined ||
  only.includes(name) ||
  (only.includes(RIGHT) && expected === 'resolved') ||
  (name.startsWith(HACK) && (only.includes(HACKS) || only.includes(name.slice(HACK.length))))

/** In the order in which they are made. */
export const planAttempts = (problem: Problem, options: PlanOptions): PlannedAttempt[] => {
  const expected = expectedOfNothing(problem)
  const attempts: PlannedAttempt[] = [
    { name: DO_NOTHING, expected },
    // Where doing nothing is the reference, it is done once.
    ...(expected === 'resolved' ? [] : [{ name: REFERENCE, expected: 'resolved' } as const]),
    ...(isDrawn(problem, options) ? hackNames(problem, options) : []).map(
      (name): PlannedAttempt => ({ name: `${HACK}${name}`, expected: 'unresolved' }),
    ),
  ]
  return attempts.filter((attempt) => isWanted(attempt, options.only))
}

/** All words that `only` may hold for these problems, whichever share of them hacks are tried on. */
export const attemptWords = (problems: readonly Problem[], options: PlanOptions): string[] => {
  const names = problems.flatMap((problem) => hackNames(problem, options))
  return [DO_NOTHING, REFERENCE, RIGHT, HACKS, ...[...new Set(names)].sort()]
}

/** The hack of an attempt: of which of the problem's faults it is, the first's where it is one of all. */
export const findHack = (
  attempt: string,
  problem: Problem,
  options: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): { readonly hack: Hack; readonly index: number } | undefined => {
  const name = attempt.slice(HACK.length)
  for (const [index, { fault }] of problem.faults.entries()) {
    const own = options.faults.get(fault)?.hacks.find((hack) => hack.name === name)
    if (own !== undefined) return { hack: own, index }
  }
  const common = options.commonHacks.find((hack) => hack.name === name)
  return common === undefined ? undefined : { hack: common, index: 0 }
}
