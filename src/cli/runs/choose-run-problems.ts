/** The problems of a run: of the suites, files and ids that are named, as far as filters let them through. */
import { basename, extname } from 'node:path'
import { nearestName } from '../../kit/index.ts'
import { FAULT_CATEGORIES, type Problem, RemediumError, TASKS } from '../../spec/index.ts'
import type { RunOptions } from './run-options.ts'

const DEFAULT_SUITE = 'easy'
const DEFAULT_SYSTEM = 'simple-micro'

export interface ChosenProblems {
  /** What was named. */
  readonly suites: readonly string[]
  readonly problems: readonly Problem[]
  readonly suiteOf: Readonly<Record<string, string>>
}

type Wish = Pick<
  RunOptions,
  'system' | 'fault' | 'task' | 'category' | 'seed' | 'limit' | 'steps' | 'seconds'
>

const refuseUnknown = (option: string, given: readonly string[], names: readonly string[]): void => {
  const unknown = given.find((one) => !names.includes(one))
  if (unknown === undefined) return
  const near = nearestName(unknown, names)
  throw new RemediumError('bad-argument', `There is no ${option} "${unknown}".`, {
    hint: near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

/** Of a file its name without the ending; a problem by its id is of none. */
const toSuiteName = (what: string, isSuite: boolean): string => {
  if (isSuite) return what
  return ['.yaml', '.yml', '.txt', '.json'].includes(extname(what))
    ? basename(what, extname(what))
    : 'problem'
}

const load = async (what: readonly string[], wish: Wish): Promise<[suite: string, Problem][]> => {
  const { chooseFaults, chooseProblems } = await import('../validity/choose-problems.ts')
  const { listSuites } = await import('../../problems/index.ts')
  const names = listSuites().map(({ name }) => name)
  const { fault, seed } = wish
  if (what.length === 0) {
    const system = wish.system.length === 0 ? [DEFAULT_SYSTEM] : wish.system
    if (fault.length > 0)
      return (await chooseFaults(fault, { system, seed })).map((problem) => ['faults', problem])
    return (await chooseProblems(DEFAULT_SUITE, { system, seed })).map((problem) => [DEFAULT_SUITE, problem])
  }
  const lists = await Promise.all(
    what.map(async (one) => {
      const problems = await chooseProblems(one, wish)
      return problems.map((problem): [string, Problem] => [toSuiteName(one, names.includes(one)), problem])
    }),
  )
  return lists.flat()
}

const createFilter = async ({
  system,
  fault,
  task,
  category,
}: Wish): Promise<(problem: Problem) => boolean> => {
  const { loadFaults } = await import('../../faults/index.ts')
  const faults = await loadFaults()
  refuseUnknown('fault', fault, [...faults.keys()])
  refuseUnknown('task', task, TASKS)
  refuseUnknown('category', category, FAULT_CATEGORIES)
  const within = (wanted: readonly string[], found: readonly string[]): boolean =>
    wanted.length === 0 || found.some((one) => wanted.includes(one))
  return (problem) => {
    const names = problem.faults.map((planned) => planned.fault)
    const categories = names.flatMap((name) => faults.get(name)?.category ?? [])
    return (
      within(system, [problem.system]) &&
      within(fault, names) &&
      within(task, [problem.task]) &&
      within(category, categories)
    )
  }
}

/** A problem that is in two suites is tried as one of the first. */
const withoutTwins = (all: readonly (readonly [string, Problem])[]): Map<string, [string, Problem]> => {
  const byId = new Map<string, [string, Problem]>()
  for (const [suite, problem] of all) if (!byId.has(problem.id)) byId.set(problem.id, [suite, problem])
  return byId
}

export const chooseRunProblems = async (what: readonly string[], wish: Wish): Promise<ChosenProblems> => {
  const isWanted = await createFilter(wish)
  const { withBudget } = await import('../../problems/index.ts')
  const { steps, seconds, limit } = wish
  const isTight = steps !== undefined || seconds !== undefined
  const found = (await load(what, wish))
    .filter(([, problem]) => isWanted(problem))
    .map(([suite, problem]): [string, Problem] => {
      const budget = {
        ...(steps === undefined ? {} : { steps }),
        ...(seconds === undefined ? {} : { seconds }),
      }
      return [suite, isTight ? withBudget(problem, budget) : problem]
    })
  const chosen = [...withoutTwins(found).values()].slice(0, limit)
  if (chosen.length === 0)
    throw new RemediumError(
      'bad-argument',
      'No problem is left by --system, --fault, --task and --category.',
      {
        hint: `See "remedium problems ${what[0] ?? DEFAULT_SUITE}".`,
      },
    )
  return {
    suites: what.length === 0 ? [chosen[0]![0]] : what,
    problems: chosen.map(([, problem]) => problem),
    suiteOf: Object.fromEntries(chosen.map(([suite, { id }]) => [id, suite])),
  }
}
