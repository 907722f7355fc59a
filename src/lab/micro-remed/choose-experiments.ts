/** Chooses the experiments of a series: from a file, or drawn from a seed. */
import { existsSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { drawExperiments, listFittingTypes, loadSuite } from '#exam/problems'
import { createRandom } from '#kit'
import { type FaultCategory, type Problem, RemediumError } from '#spec'
import { loadMicroRemedList } from './load-micro-remed-list.ts'

/** Files with any other extension are MicroRemed lists. */
const SUITE_EXTENSIONS = ['.yaml', '.yml', '.json']

export interface ExperimentOptions {
  readonly system: string
  readonly count: number
  readonly seed: string | undefined
  readonly file: string | undefined
}

/** Draws from the types that have a target on the system; only MicroRemed's own systems have targets for all. */
const drawTypes = async (
  system: string,
  count: number,
  seed: string | undefined,
): Promise<FaultCategory[]> => {
  const fitting = await listFittingTypes(system)
  if (fitting.length === 0)
    throw new RemediumError('bad-argument', `No failure type of MicroRemed has a target on ${system}.`)
  const random = createRandom(`experiments ${seed ?? 'own'}`)
  return Array.from({ length: count }, () => fitting[random.below(fitting.length)]!)
}

/** Two problems with the same ID would be the same episode. */
const withoutDuplicates = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [problem.id, problem])).values(),
]

const loadFile = async (file: string, { system, seed }: ExperimentOptions): Promise<Problem[]> => {
  if (!existsSync(file))
    throw new RemediumError('bad-argument', `There is no list of experiments ${file}.`, {
      hint: 'MicroRemed\'s levels are the suites easy, medium and hard; see "remedium run-all".',
    })
  const load = SUITE_EXTENSIONS.includes(extname(file)) ? loadSuite : loadMicroRemedList
  // An absolute path, because a bare name can be the name of a suite.
  const problems = await load(resolve(file), { system, seed })
  if (problems.length > 0) return problems
  throw new RemediumError('bad-argument', `${file} has no problem on the system ${system}.`, {
    hint: 'Name the system with --env.',
  })
}

export const chooseExperiments = async (
  options: ExperimentOptions,
): Promise<{ title: string; problems: Problem[] }> => {
  const { system, count, seed, file } = options
  if (file !== undefined)
    return {
      title: basename(file, extname(file)),
      problems: withoutDuplicates(await loadFile(file, options)),
    }
  const types = await drawTypes(system, count, seed)
  return {
    title: `${count} experiments on ${system}`,
    problems: await drawExperiments(types, { system, seed: seed ?? 'experiments' }),
  }
}
