/** The experiments of a series: from a list of MicroRemed's, or by chance from a seed. */
import { existsSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { createRandom } from '../../kit/index.ts'
import { drawExperiments, fittingTypes, loadMicroRemedList, loadSuite } from '../../problems/index.ts'
import { type FaultCategory, type Problem, RemediumError } from '../../spec/index.ts'

/** Of suites of ours; every other file is a list. */
const SUITE_ENDINGS = ['.yaml', '.yml', '.json']

export interface ExperimentWish {
  readonly system: string
  readonly count: number
  readonly seed: string | undefined
  readonly file: string | undefined
}

/** Among those that fit: MicroRemed's own systems take all of them, others may not. */
const drawTypes = async (
  system: string,
  count: number,
  seed: string | undefined,
): Promise<FaultCategory[]> => {
  const fitting = await fittingTypes(system)
  if (fitting.length === 0)
    throw new RemediumError('bad-argument', `No failure type of MicroRemed fits a service of ${system}.`)
  const random = createRandom(`experiments ${seed ?? 'own'}`)
  return Array.from({ length: count }, () => fitting[random.below(fitting.length)]!)
}

/** A problem that is there twice is tried once: both would be one episode. Its id says all of it. */
const withoutTwins = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [problem.id, problem])).values(),
]

export const chooseExperiments = async ({
  system,
  count,
  seed,
  file,
}: ExperimentWish): Promise<{ title: string; problems: Problem[] }> => {
  if (file === undefined) {
    const types = await drawTypes(system, count, seed)
    return {
      title: `${count} experiments on ${system}`,
      problems: await drawExperiments(types, { system, seed: seed ?? 'experiments' }),
    }
  }
  if (!existsSync(file))
    throw new RemediumError('bad-argument', `There is no list of experiments ${file}.`, {
      hint: 'Its levels are the suites easy, medium and hard: see "remedium run-all".',
    })
  const load = SUITE_ENDINGS.includes(extname(file)) ? loadSuite : loadMicroRemedList
  // Whole, since a bare name may be that of a suite of ours.
  const problems = await load(resolve(file), { system, seed })
  if (problems.length === 0)
    throw new RemediumError('bad-argument', `There is no problem of ${system} in ${file}.`, {
      hint: 'Name the system with --env.',
    })
  return { title: basename(file, extname(file)), problems: withoutTwins(problems) }
}
