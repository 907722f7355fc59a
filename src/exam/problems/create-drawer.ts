/** Draws a series of problems from one seed, given the names of systems and faults. */
import type { Fault, Problem } from '#spec'
import { type Catalogue, createCatalogue } from './create-catalogue.ts'
import { type Draw, drawProblem } from './draw-problem.ts'
import { explainMisfit } from './explain-misfit.ts'
import { listImpactTargets } from './list-impact-targets.ts'

export interface NamedDraw extends Omit<Draw, 'system' | 'faults' | 'seed' | 'turn'> {
  readonly system: string
  readonly faults: readonly string[]
}

export interface Drawer extends Pick<Catalogue, 'faultNames' | 'faultOf'> {
  /** Returns why no target of the fault on the system has user impact; undefined if one has. */
  findMisfit(fault: Fault, system: string): Promise<string | undefined>
  draw(options: NamedDraw): Promise<Problem>
}

export const createDrawer = (seed: string): Drawer => {
  const { faultNames, faultOf, viewOf } = createCatalogue()
  const turns = new Map<string, number>()
  return {
    faultNames,
    faultOf,
    async findMisfit(fault, system) {
      const view = await viewOf(system)
      return listImpactTargets(fault, view).length > 0 ? undefined : explainMisfit(fault, view, {})
    },
    async draw({ system, faults, ...rest }) {
      const view = await viewOf(system)
      const loadedFaults = await Promise.all(faults.map(faultOf))
      const key = [system, ...faults].join(' ')
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      return drawProblem({ ...rest, system: view, faults: loadedFaults, seed, turn })
    },
  }
}
