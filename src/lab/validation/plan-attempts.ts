/** Plans the attempts that prove a problem, with the expected outcome of each. */
import type { RightRepair } from '#exam/right-repairs'
import { createRandom } from '#kit'
import { type Fault, type Hack, NO_FAULT, type Problem, type SystemView, taskOf } from '#spec'
import { answerHacks } from './answer-hacks.ts'
import type { PlannedAttempt } from './attempt.ts'

export const DO_NOTHING = 'do-nothing'
export const REFERENCE = 'reference'
const HACK_PREFIX = 'hack '
const REPAIR_PREFIX = 'repair '
// Names of groups of attempts.
const RIGHT = 'right'
const HACKS = 'hacks'
const REPAIRS = 'repairs'

export const isHack = ({ name }: Pick<PlannedAttempt, 'name'>): boolean => name.startsWith(HACK_PREFIX)

export const isRepair = ({ name }: Pick<PlannedAttempt, 'name'>): boolean => name.startsWith(REPAIR_PREFIX)

/** Returns the name of the hack that an attempt tries; undefined if the attempt is not a hack. */
export const hackNameOf = (attempt: string): string | undefined =>
  attempt.startsWith(HACK_PREFIX) ? attempt.slice(HACK_PREFIX.length) : undefined

/** The name of a hack or a right repair without its prefix. */
export const shortNameOf = (attempt: string): string =>
  [HACK_PREFIX, REPAIR_PREFIX].reduce(
    (name, prefix) => (name.startsWith(prefix) ? name.slice(prefix.length) : name),
    attempt,
  )

export interface PlanOptions {
  readonly faults: ReadonlyMap<string, Fault>
  readonly commonHacks: readonly Hack[]
  /** Correct repairs other than the references; none by default. */
  readonly rightRepairs?: readonly RightRepair[]
  systemOf(name: string): SystemView
  /** The share of problems on which hacks and further right repairs are tried, 0 to 1, drawn from the seed. */
  readonly hackShare: number
  readonly seed: string
  /** The attempts to make: `do-nothing`, `reference`, `right` (all that must pass), `repairs`, `hacks`, or names of repairs and hacks; all by default. */
  readonly only?: readonly string[]
  /** The number of attempts to draw from the seed among those selected; all by default. */
  readonly sample?: number | undefined
}

/** `name` is unique within the problem; several faults may have a hack with the same `shortName`. */
interface NamedHack {
  readonly name: string
  readonly shortName: string
}

/** A hack that acts on the system, and the index of its fault in the problem. */
interface ActingHack extends NamedHack {
  readonly hack: Hack
  readonly index: number
}

/** Whether all faults end without a repair, so that changing nothing is right. */
const endsWithoutRepair = ({ faults }: Problem): boolean =>
  faults.every(({ shape }) => shape.kind === 'transient')

/** Whether giving no answer is right: there is no fault, and no question of the task requires an answer. */
const needsNoAnswer = ({ task: name, faults }: Problem): boolean => {
  const task = taskOf(name)
  return faults.length === 0 && task.questions.every((question) => question.score({}, NO_FAULT, task).holds)
}

/** The expected outcome of doing nothing, and of a hack that found nothing to do. */
export const expectedOfDoingNothing = (problem: Problem): PlannedAttempt['expected'] =>
  (taskOf(problem.task).repairs ? endsWithoutRepair(problem) : needsNoAnswer(problem))
    ? 'resolved'
    : 'unresolved'

/**
 * The hacks of each fault, and the common hacks once. Transient faults are skipped if the problem also has permanent ones,
 * because repairing their service is then not a mistake.
 */
const actingHacks = (
  problem: Problem,
  { faults, commonHacks }: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): ActingHack[] => {
  const all = problem.faults.map((planned, index) => ({ planned, index }))
  const relevant = endsWithoutRepair(problem)
    ? all
    : all.filter(({ planned }) => planned.shape.kind !== 'transient')
  const faultHacks = relevant.flatMap(({ planned, index }) =>
    (faults.get(planned.fault)?.hacks ?? []).map((hack) => ({ hack, index, planned })),
  )
  const named = faultHacks.map(({ hack, index, planned: { fault, target } }): ActingHack => {
    const isShared = faultHacks.some((other) => other.index !== index && other.hack.name === hack.name)
    const name = isShared ? `${hack.name} of ${fault} in ${target.service}` : hack.name
    return { name, shortName: hack.name, hack, index }
  })
  const others = commonHacks.filter(({ name }) => !named.some(({ shortName }) => shortName === name))
  // A control has no hacks: they act on faults.
  return relevant.length === 0
    ? []
    : [
        ...named,
        ...others.map((hack) => ({ name: hack.name, shortName: hack.name, hack, index: relevant[0]!.index })),
      ]
}

const hacksOf = (problem: Problem, options: PlanOptions): NamedHack[] => [
  ...answerHacks(problem, options.systemOf(problem.system), options.faults).map(({ name }) => ({
    name,
    shortName: name,
  })),
  ...(taskOf(problem.task).repairs ? actingHacks(problem, options) : []),
]

/** The right repairs of the fault, if it is the only one and not transient. */
const repairsOf = (problem: Problem, options: PlanOptions): readonly RightRepair[] => {
  const [planned, ...others] = problem.faults
  if (planned === undefined || others.length > 0 || planned.shape.kind === 'transient') return []
  if (!taskOf(problem.task).repairs) return []
  const { target, params } = planned
  return (options.rightRepairs ?? []).filter(
    ({ faults, fits }) =>
      faults.includes(planned.fault) &&
      (fits?.({ system: options.systemOf(problem.system), target, params }) ?? true),
  )
}

const isDrawn = ({ id }: Problem, { seed, hackShare }: PlanOptions): boolean =>
  createRandom(`${seed}/hacks/${id}`).next() < hackShare

/** Whether the system has something on which the hack can act, apart from what the faults target. */
const applies = (
  { appliesTo }: Hack,
  { system, faults }: Problem,
  systemOf: PlanOptions['systemOf'],
): boolean => {
  const targets = faults.map(({ target }) => target.service)
  const target = faults[0]?.target
  if (appliesTo === undefined || target === undefined) return true
  return appliesTo({ system: systemOf(system), target, targets })
}

/**
 * Returns the common hacks that a problem leaves out. Hacks that follow a right repair damage another service, regardless of
 * the fault, so each problem tries only one of them, drawn from the seed among those that apply.
 */
const leftOutHacks = (
  problem: Problem,
  { seed, commonHacks, systemOf }: PlanOptions,
): ReadonlySet<string> => {
  const damaging = commonHacks.filter(({ afterRepair }) => afterRepair)
  const applicable = damaging.filter((hack) => applies(hack, problem, systemOf))
  const random = createRandom(`${seed}/after-repair/${problem.id}`)
  const drawn = applicable[Math.floor(random.next() * applicable.length)]
  return new Set(damaging.filter((hack) => hack !== drawn).map(({ name }) => name))
}

/** Returns the attempts in the order in which they are made. */
export const planAttempts = (problem: Problem, options: PlanOptions): PlannedAttempt[] => {
  const expected = expectedOfDoingNothing(problem)
  const isSelected = (...names: readonly string[]): boolean =>
    options.only === undefined || names.some((name) => options.only!.includes(name))
  const basic: PlannedAttempt[] = [
    { name: DO_NOTHING, expected },
    // If doing nothing is the reference, one attempt is enough.
    ...(expected === 'resolved' ? [] : [{ name: REFERENCE, expected: 'resolved' } as const]),
  ]
  const hacks = isDrawn(problem, options) ? hacksOf(problem, options) : []
  const repairs = isDrawn(problem, options) ? repairsOf(problem, options) : []
  const leftOut: ReadonlySet<string> = hacks.length === 0 ? new Set() : leftOutHacks(problem, options)
  return [
    ...basic.filter((one) => isSelected(one.name, ...(one.expected === 'resolved' ? [RIGHT] : []))),
    ...repairs
      .filter(({ name }) => isSelected(RIGHT, REPAIRS, name, `${REPAIR_PREFIX}${name}`))
      .map(({ name }): PlannedAttempt => ({ name: `${REPAIR_PREFIX}${name}`, expected: 'resolved' })),
    ...hacks
      .filter(({ name, shortName }) =>
        leftOut.has(shortName)
          ? options.only?.some((one) => [shortName, name, `${HACK_PREFIX}${name}`].includes(one))
          : isSelected(HACKS, shortName, name, `${HACK_PREFIX}${name}`),
      )
      .map(({ name }): PlannedAttempt => ({ name: `${HACK_PREFIX}${name}`, expected: 'unresolved' })),
  ]
}

/** Lists all valid values of `only` for these problems, regardless of `hackShare`. */
export const listAttemptNames = (problems: readonly Problem[], options: PlanOptions): string[] => {
  const hacks = problems.flatMap((problem) =>
    hacksOf(problem, options).flatMap(({ name, shortName }) => [shortName, name]),
  )
  const repairs = problems.flatMap((problem) => repairsOf(problem, options).map(({ name }) => name))
  const groups = [DO_NOTHING, REFERENCE, RIGHT, ...(repairs.length > 0 ? [REPAIRS] : []), HACKS]
  return [...groups, ...[...new Set([...repairs, ...hacks])].sort()]
}

/** Finds the right repair of an attempt. */
export const findRepair = (
  attempt: string,
  { rightRepairs = [] }: Pick<PlanOptions, 'rightRepairs'>,
): RightRepair | undefined => rightRepairs.find(({ name }) => attempt === `${REPAIR_PREFIX}${name}`)

/** Finds the hack of an attempt; undefined if the attempt does not act on the system. */
export const findHack = (
  attempt: string,
  problem: Problem,
  options: Pick<PlanOptions, 'faults' | 'commonHacks'>,
): Pick<ActingHack, 'hack' | 'index'> | undefined => {
  const found = actingHacks(problem, options).find(({ name }) => name === hackNameOf(attempt))
  return found === undefined ? undefined : { hack: found.hack, index: found.index }
}
