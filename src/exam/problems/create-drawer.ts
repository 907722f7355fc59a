/** Draws a series of problems from one seed by names of systems and faults. */
import type { Fault, Problem } from '#spec'
import { type Catalogue, createCatalogue } from './create-catalogue.ts'
import { type Draw, drawProblem } from './draw-problem.ts'
import { listImpactTargets } from './draw-targets.ts'

export interface NamedDraw extends Omit<Draw, 'system' | 'faults' | 'seed' | 'turn'> {
  readonly system: string
  readonly faults: readonly string[]
}

export interface Drawer extends Pick<Catalogue, 'faultNames' | 'faultOf'> {
  /** Whether the system has a target of the fault with user impact. */
  fits(fault: Fault, system: string): Promise<boolean>
  draw(options: NamedDraw): Promise<Problem>
}

export const createDrawer = (seed: string): Drawer => {
  const { faultNames, faultOf, viewOf } = createCatalogue()
  const turns = new Map<string, number>()
  return {
    faultNames,
    faultOf,
    fits: async (fault, system) => listImpactTargets(fault, await viewOf(system)).length > 0,
    async draw({ system, faults, ...rest }) {
      const view = await viewOf(system)
      const loaded = await Promise.all(faults.map(faultOf))
      const key = [system, ...faults].join(' ')
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      return drawProblem({ ...rest, system: view, faults: loaded, seed, turn })
    },
  }
}
