/** The problems that a user names: a suite, a file, one problem by its id, or controls. */
import { existsSync } from 'node:fs'
import { nearestName } from '../../kit/index.ts'
import { type Fault, type Problem, RemediumError, type SystemView } from '../../spec/index.ts'

export interface ProblemWish {
  /** Only of these systems; all where there are none. */
  readonly system: readonly string[]
  /** The suite's own where absent. */
  readonly seed: string | undefined
}

const loadAll = async (suite: string, { system, seed }: ProblemWish): Promise<Problem[]> => {
  const { loadSuite } = await import('../../problems/index.ts')
  const systems = system.length === 0 ? [undefined] : system
  const lists = await Promise.all(systems.map((one) => loadSuite(suite, { system: one, seed })))
  return lists.flat()
}

/** In whichever suite it is; ids have dots in them, and begin with the system. */
const findProblem = async (id: string, { seed }: ProblemWish): Promise<Problem> => {
  const { listSuites } = await import('../../problems/index.ts')
  const names = listSuites().map(({ name }) => name)
  for (const suite of id.includes('.') ? names : []) {
    // Not every suite has problems of every system.
    const all = await loadAll(suite, { system: [id.split('.')[0]!], seed }).catch(() => [])
    const found = all.find((problem) => problem.id === id)
    if (found !== undefined) return found
  }
  const nearest = nearestName(id, names)
  throw new RemediumError('bad-argument', `There is no suite, problem or file "${id}".`, {
    hint: nearest === undefined ? `The suites are: ${names.join(', ')}.` : `Did you mean "${nearest}"?`,
  })
}

const checkSystems = async ({ system }: ProblemWish): Promise<void> => {
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  for (const name of system) await loadNamedSystem(name)
}

export const chooseProblems = async (what: string, wish: ProblemWish): Promise<Problem[]> => {
  await checkSystems(wish)
  const { listSuites } = await import('../../problems/index.ts')
  const isSuite = listSuites().some(({ name }) => name === what)
  if (!isSuite && !existsSync(what)) return [await findProblem(what, wish)]
  const problems = await loadAll(what, wish)
  if (problems.length > 0) return problems
  throw new RemediumError('bad-argument', `There is no problem of ${wish.system.join(' or ')} in "${what}".`)
}

const viewsOf = async ({ system }: ProblemWish): Promise<SystemView[]> => {
  const { listSystemNames, loadSystem } = await import('../../systems/index.ts')
  const { createSystemView } = await import('../../system-view/index.ts')
  const names = system.length === 0 ? listSystemNames() : system
  return Promise.all(names.map(async (name) => createSystemView(await loadSystem(name))))
}

const isNoTarget = (error: unknown): error is RemediumError =>
  error instanceof RemediumError && error.code === 'bad-argument'

/** One problem for each fault on each system that has a target for it. */
export const chooseFaults = async (names: readonly string[], wish: ProblemWish): Promise<Problem[]> => {
  await checkSystems(wish)
  const { drawProblem } = await import('../../problems/index.ts')
  const { loadNamedFault } = await import('../faults/load-named-fault.ts')
  const views = await viewsOf(wish)
  const faults = await Promise.all(names.map(loadNamedFault))
  const drawOn = (fault: Fault, system: SystemView): Problem[] => {
    try {
      return [drawProblem({ system, faults: [fault], task: 'mitigation', seed: wish.seed ?? 'faults' })]
    } catch (error) {
      if (isNoTarget(error)) return []
      throw error
    }
  }
  const problems = faults.flatMap((fault) => views.flatMap((system) => drawOn(fault, system)))
  if (problems.length > 0) return problems
  const places = wish.system.length === 0 ? 'any system' : wish.system.join(' or ')
  throw new RemediumError('bad-argument', `No service of ${places} is a target for ${names.join(' or ')}.`, {
    hint: 'A fault fits where its mechanism can act and users would feel it.',
  })
}

/** So many problems in which nothing is wrong, the systems by turns. */
export const chooseControls = async ({
  count,
  ...wish
}: ProblemWish & { readonly count: number }): Promise<Problem[]> => {
  await checkSystems(wish)
  const { drawProblem } = await import('../../problems/index.ts')
  const views = await viewsOf(wish)
  const seed = wish.seed ?? 'controls'
  return Array.from({ length: count }, (_, turn) =>
    drawProblem({ system: views[turn % views.length]!, faults: [], task: 'mitigation', seed, turn }),
  )
}
