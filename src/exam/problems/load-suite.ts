/** Loads a suite by name or from a file, and draws its problems. */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { findNearestName, type LocatedYaml } from '#kit'
import { type FaultCategory, type Problem, RemediumError, taskOf } from '#spec'
import { failWith } from '#world/workload'
import { createDrawer, type Drawer } from './create-drawer.ts'
import { listDraws, type SuiteDraw } from './list-draws.ts'
import { listSuiteNames, suiteFile } from './list-suites.ts'
import { parseProblems } from './parse-problems.ts'
import { parseSuite } from './parse-suite.ts'
import { toControl } from './to-control.ts'

export interface SuiteOptions {
  /** Restricts the suite to problems of this system; a mix is drawn on it. */
  readonly system?: string | undefined
  /** Overrides the seed of the suite. */
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
  const nearest = findNearestName(nameOrFile, names)
  throw new RemediumError('bad-argument', `There is no suite "${nameOrFile}".`, {
    hint: nearest === undefined ? `The suites are ${names.join(', ')}.` : `Did you mean ${nearest}?`,
  })
}

/** Adds a control to a problem with a fault, if its task has controls. */
const withControl = (problem: Problem): Problem[] =>
  taskOf(problem.task).hasControls && problem.faults.length > 0 ? [problem, toControl(problem)] : [problem]

/** Draws all problems. Reports impossible draws as mistakes at their positions. */
const drawAll = async (
  drawer: Drawer,
  draws: readonly SuiteDraw[],
  document: LocatedYaml,
): Promise<Problem[]> => {
  const problems: Problem[] = []
  const mistakes = new Set<string>()
  for (const { draw, path } of draws)
    try {
      problems.push(...withControl(await drawer.draw(draw)))
    } catch (error) {
      if (!(error instanceof RemediumError) || error.code !== 'bad-argument') throw error
      const reason = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
      mistakes.add(document.mistakeAt(path, `cannot be drawn on ${draw.system}: ${reason}`))
    }
  return mistakes.size > 0 ? failWith([...mistakes]) : problems
}

/** Draws one remediation problem for each failure type; its report names the type. */
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

/**
 * Takes the name of a suite in `suites`, or a file: YAML for a suite, `.json` for written problems. The same seed
 * returns the same problems in the same order. Throws with all mistakes, each with file and line.
 */
export const loadSuite = async (nameOrFile: string, options: SuiteOptions = {}): Promise<Problem[]> => {
  const file = findFile(nameOrFile)
  if (extname(file) === '.json')
    return (await parseProblems(readText(file), file)).filter(
      (problem) => options.system === undefined || problem.system === options.system,
    )
  const displayedFile = file === nameOrFile ? file : basename(file)
  const { value: suite, document } = parseSuite(readText(file), displayedFile)
  const { system, seed = suite.seed } = options
  const drawer = createDrawer(seed)
  return drawAll(drawer, await listDraws(suite, document, { system, seed, drawer }), document)
}
