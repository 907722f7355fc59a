/** The experiments of a series: from a list of MicroRemed's, or by chance from a seed. */
import { existsSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { createRandom } from '../../kit/index.ts'
import { drawExperiments, loadSuite } from '../../problems/index.ts'
import { FAULT_CATEGORIES, type Problem, RemediumError } from '../../spec/index.ts'

export interface ExperimentWish {
  readonly system: string
  readonly count: number
  readonly seed: string | undefined
  readonly file: string | undefined
}

export const chooseExperiments = async ({
  system,
  count,
  seed,
  file,
}: ExperimentWish): Promise<{ title: string; problems: Problem[] }> => {
  if (file === undefined) {
    const random = createRandom(`experiments ${seed ?? 'own'}`)
    const types = Array.from(
      { length: count },
      () => FAULT_CATEGORIES[random.below(FAULT_CATEGORIES.length)]!,
    )
    return {
      title: `${count} experiments on ${system}`,
      problems: await drawExperiments(types, { system, seed: seed ?? 'experiments' }),
    }
  }
  if (!existsSync(file))
    throw new RemediumError('bad-argument', `There is no list of experiments ${file}.`, {
      hint: 'Its levels are the suites easy, medium and hard: see "remedium run-all".',
    })
  return {
    title: basename(file, extname(file)),
    problems: await loadSuite(file, { system, ...(seed === undefined ? {} : { seed }) }),
  }
}
