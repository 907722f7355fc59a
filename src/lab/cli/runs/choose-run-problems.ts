/** Chooses the problems of a run: from suites, files and IDs, restricted by filters. */
import { basename, extname } from 'node:path'
import { defined, findNearestName } from '#kit'
import type { ChosenProblems } from '#lab/launch'
import { FAULT_CATEGORIES, type Problem, RemediumError, TASKS } from '#spec'
import type { RunOptions } from './run-options.ts'

const DEFAULT_SUITE = 'easy'
const DEFAULT_SYSTEM = 'simple-micro'

type ProblemFilter = Pick<
  RunOptions,
  'system' | 'fault' | 'task' | 'category' | 'seed' | 'limit' | 'steps' | 'seconds'
>

const rejectUnknown = (option: string, given: readonly string[], names: readonly string[]): void => {
  const unknown = given.find((value) => !names.includes(value))
  if (unknown === undefined) return
  const near = findNearestName(unknown, names)
  throw new RemediumError('bad-argument', `There is no ${option} "${unknown}".`, {
    hint: near === undefined ? `Valid values: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

/** Returns the name of the suite, the name of the file without its extension, or `problem` for the ID of a problem. */
const toSuiteName = (source: string, isSuite: boolean): string => {
  if (isSuite) return source
  return ['.yaml', '.yml', '.txt', '.json'].includes(extname(source))
    ? basename(source, extname(source))
    : 'problem'
}

const loadProblems = async (
  sources: readonly string[],
  filter: ProblemFilter,
): Promise<[suite: string, Problem][]> => {
  const { chooseFaults, chooseProblems } = await import('../validity/choose-problems.ts')
  const { listSuites } = await import('#exam/problems')
  const names = listSuites().map(({ name }) => name)
  const { fault, seed } = filter
  if (sources.length === 0) {
    const system = filter.system.length === 0 ? [DEFAULT_SYSTEM] : filter.system
    if (fault.length > 0)
      return (await chooseFaults(fault, { system, seed })).map((problem) => ['faults', problem])
    return (await chooseProblems(DEFAULT_SUITE, { system, seed })).map((problem) => [DEFAULT_SUITE, problem])
  }
  const lists = await Promise.all(
    sources.map(async (source) => {
      const problems = await chooseProblems(source, filter)
      return problems.map((problem): [string, Problem] => [
        toSuiteName(source, names.includes(source)),
        problem,
      ])
    }),
  )
  return lists.flat()
}

const createFilter = async ({
  system,
  fault,
  task,
  category,
}: ProblemFilter): Promise<(problem: Problem) => boolean> => {
  const { loadFaults } = await import('#exam/faults')
  const faults = await loadFaults()
  rejectUnknown('fault', fault, [...faults.keys()])
  rejectUnknown('task', task, TASKS)
  rejectUnknown('category', category, FAULT_CATEGORIES)
  const matches = (given: readonly string[], found: readonly string[]): boolean =>
    given.length === 0 || found.some((value) => given.includes(value))
  return (problem) => {
    const names = problem.faults.map((planned) => planned.fault)
    const categories = names.flatMap((name) => faults.get(name)?.category ?? [])
    return (
      matches(system, [problem.system]) &&
      matches(fault, names) &&
      matches(task, [problem.task]) &&
      matches(category, categories)
    )
  }
}

/** A problem that is in two suites counts for the first one. */
const withoutDuplicates = (all: readonly (readonly [string, Problem])[]): Map<string, [string, Problem]> => {
  const byId = new Map<string, [string, Problem]>()
  for (const [suite, problem] of all) if (!byId.has(problem.id)) byId.set(problem.id, [suite, problem])
  return byId
}

/** Throws if no problem matches. */
export const chooseRunProblems = async (
  sources: readonly string[],
  filter: ProblemFilter,
): Promise<ChosenProblems> => {
  const matches = await createFilter(filter)
  const { withBudget } = await import('#exam/problems')
  const { steps, seconds, limit } = filter
  const hasBudget = steps !== undefined || seconds !== undefined
  const found = (await loadProblems(sources, filter))
    .filter(([, problem]) => matches(problem))
    .map(([suite, problem]): [string, Problem] => [
      suite,
      hasBudget ? withBudget(problem, defined({ steps, seconds })) : problem,
    ])
  const chosen = [...withoutDuplicates(found).values()].slice(0, limit)
  if (chosen.length === 0)
    throw new RemediumError('bad-argument', 'No problem matches --system, --fault, --task and --category.', {
      hint: `See "remedium problems ${sources[0] ?? DEFAULT_SUITE}".`,
    })
  return {
    suites: sources.length === 0 ? [chosen[0]![0]] : sources,
    problems: chosen.map(([, problem]) => problem),
    suiteOf: Object.fromEntries(chosen.map(([suite, { id }]) => [id, suite])),
  }
}
