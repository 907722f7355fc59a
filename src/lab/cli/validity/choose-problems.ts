/** Chooses the problems that a user names: a suite, a file, a problem by its ID, faults or controls. */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { findNearestName } from '#kit'
import { type Fault, type Problem, RemediumError, type SystemView } from '#spec'

export interface ProblemOptions {
  /** Only problems on these systems; all if empty. */
  readonly system: readonly string[]
  /** The seed of the suite by default. */
  readonly seed: string | undefined
}

/** A `.txt` file is a list of failure types in MicroRemed's format. */
const chooseLoader = async (suite: string) => {
  if (extname(suite) === '.txt') return (await import('#lab/micro-remed')).loadMicroRemedList
  return (await import('#exam/problems')).loadSuite
}

const loadAll = async (suite: string, { system, seed }: ProblemOptions): Promise<Problem[]> => {
  const load = await chooseLoader(suite)
  const systems = system.length === 0 ? [undefined] : system
  const lists = await Promise.all(systems.map((name) => load(suite, { system: name, seed })))
  return lists.flat()
}

/** Searches all suites. The ID of a problem starts with the system and a dot. */
const findProblem = async (id: string, { seed }: ProblemOptions): Promise<Problem> => {
  const { listSuites } = await import('#exam/problems')
  const names = listSuites().map(({ name }) => name)
  for (const suite of id.includes('.') ? names : []) {
    // Loading a suite without problems on the system fails.
    const all = await loadAll(suite, { system: [id.split('.')[0]!], seed }).catch(() => [])
    const found = all.find((problem) => problem.id === id)
    if (found !== undefined) return found
  }
  const nearest = findNearestName(id, names)
  throw new RemediumError('bad-argument', `There is no suite, problem or file "${id}".`, {
    hint: nearest === undefined ? `The suites are: ${names.join(', ')}.` : `Did you mean "${nearest}"?`,
  })
}

const checkSystems = async ({ system }: ProblemOptions): Promise<void> => {
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  for (const name of system) await loadNamedSystem(name)
}

export const chooseProblems = async (source: string, options: ProblemOptions): Promise<Problem[]> => {
  await checkSystems(options)
  const { listSuites } = await import('#exam/problems')
  const isSuite = listSuites().some(({ name }) => name === source)
  if (!isSuite && !existsSync(source)) return [await findProblem(source, options)]
  const problems = await loadAll(source, options)
  if (problems.length > 0) return problems
  throw new RemediumError('bad-argument', `"${source}" has no problem on ${options.system.join(' or ')}.`)
}

const loadViews = async ({ system }: ProblemOptions): Promise<SystemView[]> => {
  const { listSystemNames, loadSystem } = await import('#world/systems')
  const { createSystemView } = await import('#world/system-view')
  const names = system.length === 0 ? listSystemNames() : system
  return Promise.all(names.map(async (name) => createSystemView(await loadSystem(name))))
}

const isMissingTarget = (error: unknown): error is RemediumError =>
  error instanceof RemediumError && error.code === 'bad-argument'

/** Draws a problem for each fault on each system with a target for it. */
export const chooseFaults = async (names: readonly string[], options: ProblemOptions): Promise<Problem[]> => {
  await checkSystems(options)
  const { drawProblem } = await import('#exam/problems')
  const { loadNamedFault } = await import('../faults/load-named-fault.ts')
  const views = await loadViews(options)
  const faults = await Promise.all(names.map(loadNamedFault))
  const misfits: RemediumError[] = []
  const drawOn = (fault: Fault, system: SystemView): Problem[] => {
    try {
      return [drawProblem({ system, faults: [fault], task: 'mitigation', seed: options.seed ?? 'faults' })]
    } catch (error) {
      if (isMissingTarget(error)) {
        misfits.push(error)
        return []
      }
      throw error
    }
  }
  const problems = faults.flatMap((fault) => views.flatMap((system) => drawOn(fault, system)))
  if (problems.length > 0) return problems
  const systems = options.system.length === 0 ? 'any system' : options.system.join(' or ')
  throw new RemediumError('bad-argument', `No service of ${systems} is a target of ${names.join(' or ')}.`, {
    hint:
      misfits.length === 1
        ? misfits[0]!.hint
        : 'A service is a target if the fault can be injected into it and affects users.',
  })
}

/** Draws controls, alternating between the systems. */
export const chooseControls = async (
  options: ProblemOptions & { readonly count: number },
): Promise<Problem[]> => {
  await checkSystems(options)
  const { drawProblem } = await import('#exam/problems')
  const views = await loadViews(options)
  const { count, seed = 'controls' } = options
  return Array.from({ length: count }, (_, turn) =>
    drawProblem({ system: views[turn % views.length]!, faults: [], task: 'mitigation', seed, turn }),
  )
}
