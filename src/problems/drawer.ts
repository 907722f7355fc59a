/** Draws one problem after another from the same seed, by names, and deals targets in turn. */
import { listFaultNames, loadFault } from '../faults/index.ts'
import { nearestName } from '../kit/index.ts'
import { type Fault, type Problem, RemediumError, type SystemView } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { listSystemNames, loadSystem } from '../systems/index.ts'
import { type Draw, drawProblem } from './draw-problem.ts'
import { feltTargets } from './draw-targets.ts'

export interface NamedDraw extends Omit<Draw, 'system' | 'faults' | 'seed' | 'turn'> {
  readonly system: string
  readonly faults: readonly string[]
}

export interface Drawer {
  readonly faultNames: readonly string[]
  /** Whether there is a service of the system on which users would feel it. */
  fits(fault: Fault, system: string): Promise<boolean>
  faultOf(name: string): Promise<Fault>
  draw(wanted: NamedDraw): Promise<Problem>
}

const check = (what: string, name: string, names: readonly string[]): void => {
  if (names.includes(name)) return
  const near = nearestName(name, names)
  const guess = near === undefined ? '' : `; did you mean ${near}?`
  throw new RemediumError('bad-argument', `there is no ${what} "${name}"${guess}`)
}

/** Each name is loaded once. */
const remember = <T>(load: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>()
  return (name) => {
    const found = known.get(name) ?? load(name)
    known.set(name, found)
    return found
  }
}

export const createDrawer = (seed: string): Drawer => {
  const systemNames = listSystemNames()
  const faultNames = listFaultNames()
  const turns = new Map<string, number>()
  const viewOf = remember(
    async (name: string): Promise<SystemView> => createSystemView(await loadSystem(name)),
  )
  const faultOf = remember((name: string): Promise<Fault> => loadFault(name))
  return {
    faultNames,
    faultOf,
    async fits(fault, system) {
      check('system', system, systemNames)
      return feltTargets(fault, await viewOf(system)).length > 0
    },
    async draw({ system, faults, ...rest }) {
      check('system', system, systemNames)
      for (const name of faults) check('fault', name, faultNames)
      const key = [system, ...faults].join(' ')
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      const [view, loaded] = await Promise.all([viewOf(system), Promise.all(faults.map(faultOf))])
      return drawProblem({ ...rest, system: view, faults: loaded, seed, turn })
    },
  }
}
