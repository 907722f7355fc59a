/** Loads a suite by its name or from a file, and draws its problems. */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { type LocatedYaml, nearestName } from '../kit/index.ts'
import { type FaultCategory, type Problem, RemediumError } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { toControl } from './control.ts'
import { createDrawer, type Drawer } from './drawer.ts'
import { listSuiteNames, suiteFile } from './list-suites.ts'
import { parseMicroRemedList } from './parse-micro-remed-list.ts'
import { parseProblems } from './parse-problems.ts'
import { parseSuite } from './parse-suite.ts'
import { type Wish, wishesOf } from './wishes.ts'

export interface SuiteOptions {
  /** Only problems of this system. Of a mix, and of a list of MicroRemed: on this system, whichever it is. */
  readonly system?: string | undefined
  /** Instead of the suite's own. */
  readonly seed?: string | undefined
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The suite ${file} cannot be read.`, { cause })
  }
}

const findFile = (nameOrFile: string): string => {
  if (/[/.]/.test(nameOrFile)) return nameOrFile
  const names = listSuiteNames()
  if (names.includes(nameOrFile)) return suiteFile(nameOrFile)
  const near = nearestName(nameOrFile, names)
  throw new RemediumError('bad-argument', `There is no suite "${nameOrFile}".`, {
    hint: near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${near}?`,
  })
}

/** A question whether anything is wrong is asked once more where nothing is. */
const withControl = (problem: Problem): Problem[] =>
  problem.task === 'detection' && problem.faults.length > 0 ? [problem, toControl(problem)] : [problem]

/** What cannot be drawn is a mistake at its place. */
const drawAll = async (
  drawer: Drawer,
  wishes: readonly Wish[],
  document: LocatedYaml,
): Promise<Problem[]> => {
  const problems: Problem[] = []
  const mistakes = new Set<string>()
  for (const { draw, path } of wishes)
    try {
      problems.push(...withControl(await drawer.draw(draw)))
    } catch (error) {
      if (!(error instanceof RemediumError) || error.code !== 'bad-argument') throw error
      mistakes.add(document.mistakeAt(path, `is no problem on ${draw.system}: ${error.message}`))
    }
  return mistakes.size > 0 ? failWith([...mistakes]) : problems
}

/** One problem for each of MicroRemed's failure types, as its experiments are. */
export const drawExperiments = async (
  types: readonly FaultCategory[],
  { system, seed }: { readonly system: string; readonly seed: string },
): Promise<Problem[]> => {
  const drawer = createDrawer(seed)
  const problems: Problem[] = []
  for (const type of types)
    problems.push(await drawer.draw({ system, faults: [type], task: 'remediation', report: 'label' }))
  return problems
}

/** Its types from a list of MicroRemed's, whatever the file is called. */
export const loadMicroRemedList = async (
  file: string,
  { system, seed = basename(file, extname(file)) }: SuiteOptions,
): Promise<Problem[]> => {
  const types = parseMicroRemedList(readText(file), file)
  if (system === undefined)
    throw new RemediumError('bad-argument', `${file} does not say of which system it is.`, {
      hint: 'Name one with --system.',
    })
  return drawExperiments(types, { system, seed })
}

/**
 * By the name of one in `suites`, or from a file: YAML, `.txt` for a list of MicroRemed, `.json` for problems as they
 * are. The same seed gives the same problems, in the same order. Throws with all mistakes, each with file and line.
 */
export const loadSuite = async (nameOrFile: string, options: SuiteOptions = {}): Promise<Problem[]> => {
  const file = findFile(nameOrFile)
  if (extname(file) === '.txt') return loadMicroRemedList(file, options)
  if (extname(file) === '.json')
    return (await parseProblems(readText(file), file)).filter(
      (problem) => options.system === undefined || problem.system === options.system,
    )
  const shown = file === nameOrFile ? file : basename(file)
  const { value: suite, document } = parseSuite(readText(file), shown)
  const { system, seed = suite.seed } = options
  const drawer = createDrawer(seed)
  return drawAll(drawer, await wishesOf(suite, document, { system, seed, drawer }), document)
}
