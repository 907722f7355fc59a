/** What must be tried with a problem before anybody may be judged by it, and what should come of each attempt. */
import { createRandom } from '../../kit/index.ts'
import { type Fault, type Hack, isReadOnlyTask, type Problem, type SystemView } from '../../spec/index.ts'
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

/** A hack by the name of its attempt, and by its own where several faults of the problem have one of that name. */
interface NamedHack {
  readonly name: string
  readonly word: string
}

/** One that acts, and the fault that it is about by its place in the problem. */
interface ActingHack extends NamedHack {
  readonly hack: Hack
  readonly index: number
}

/** Whether it is right to change nothing. */
const isLeftAlone = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind === 'transient')

/** Whether it is right to answer nothing: whoever is asked where it is, or what, and nothing is. */
const isLeftUnanswered = ({ task, faults }: Problem): boolean => task !== 'detection' && faults.length === 0

/** What should come of doing nothing, and so of a hack that could do nothing. Who must give answers has to give them. */
export const expectedOfNothing = (problem: Problem): PlannedAttempt['expected'] =>
  (isReadOnlyTask(problem.task) ? isLeftUnanswered(problem) : isLeftAlone(problem))
    ? 'resolved'
    : 'unresolved'

/**
 * Each fault's own, and once those of all. Beside faults that last, one that heals by itself is left out: to touch its service
 * is no mistake there.
 */
const actingHacks = (
  problem: Problem,
  { faults, commonHacks }: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): ActingHack[] => {
  const all = problem.faults.map((planned, index) => ({ planned, index }))
  const hit = isLeftAlone(problem) ? all : all.filter(({ planned }) => planned.shape.kind !== 'transient')
  const own = hit.flatMap(({ planned, index }) =>
    (faults.get(planned.fault)?.hacks ?? []).map((hack) => ({ hack, index, planned })),
  )
  const named = own.map(({ hack, index, planned: { fault, target } }): ActingHack => {
    const isShared = own.some((other) => other.index !== index && other.hack.name === hack.name)
    const name = isShared ? `${hack.name} of ${fault} in ${target.service}` : hack.name
    return { name, word: hack.name, hack, index }
  })
  const others = commonHacks.filter(({ name }) => !named.some(({ word }) => word === name))
  // Hacks act on what is broken; where nothing is, there is nothing that they could be about.
  return hit.length === 0
    ? []
    : [...named, ...others.map((hack) => ({ name: hack.name, word: hack.name, hack, index: hit[0]!.index }))]
}

const hacksOf = (problem: Problem, options: PlanOptions): NamedHack[] => [
  ...answerHacks(problem, options.systemOf(problem.system), options.faults).map(({ name }) => ({
    name,
    word: name,
  })),
  ...(isReadOnlyTask(problem.task) ? [] : actingHacks(problem, options)),
]

const isDrawn = ({ id }: Problem, { seed, hackShare }: PlanOptions): boolean =>
  createRandom(`${seed}/hacks/${id}`).next() < hackShare

/** In the order in which they are made. */
export const planAttempts = (problem: Problem, options: PlanOptions): PlannedAttempt[] => {
  const expected = expectedOfNothing(problem)
  const wanted = (...words: readonly string[]): boolean =>
    options.only === undefined || words.some((word) => options.only!.includes(word))
  const plain: PlannedAttempt[] = [
    { name: DO_NOTHING, expected },
    // Where doing nothing is the reference, it is done once.
    ...(expected === 'resolved' ? [] : [{ name: REFERENCE, expected: 'resolved' } as const]),
  ]
  const hacks = isDrawn(problem, options) ? hacksOf(problem, options) : []
  return [
    ...plain.filter((one) => wanted(one.name, ...(one.expected === 'resolved' ? [RIGHT] : []))),
    ...hacks
      .filter(({ name, word }) => wanted(HACKS, word, name, `${HACK}${name}`))
      .map(({ name }): PlannedAttempt => ({ name: `${HACK}${name}`, expected: 'unresolved' })),
  ]
}

/** All words that `only` may hold for these problems, whichever share of them hacks are tried on. */
export const attemptWords = (problems: readonly Problem[], options: PlanOptions): string[] => {
  const words = problems.flatMap((problem) =>
    hacksOf(problem, options).flatMap(({ name, word }) => [word, name]),
  )
  return [DO_NOTHING, REFERENCE, RIGHT, HACKS, ...[...new Set(words)].sort()]
}

/** The hack of an attempt; nothing where it does not act. */
export const findHack = (
  attempt: string,
  problem: Problem,
  options: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): Pick<ActingHack, 'hack' | 'index'> | undefined => {
  const found = actingHacks(problem, options).find(({ name }) => name === hackIn(attempt))
  return found === undefined ? undefined : { hack: found.hack, index: found.index }
}
