/** Draws one problem after another from the same seed, by names, and deals targets in turn. */
import type { Fault, Problem } from '../spec/index.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { type Draw, drawProblem } from './draw-problem.ts'
import { feltTargets } from './draw-targets.ts'

export interface NamedDraw extends Omit<Draw, 'system' | 'faults' | 'seed' | 'turn'> {
  readonly system: string
  readonly faults: readonly string[]
}

export interface Drawer extends Pick<Catalogue, 'faultNames' | 'faultOf'> {
  /** Whether there is a service of the system on which users would feel it. */
  fits(fault: Fault, system: string): Promise<boolean>
  draw(wanted: NamedDraw): Promise<Problem>
}

export const createDrawer = (seed: string): Drawer => {
  const { faultNames, faultOf, viewOf } = createCatalogue()
  const turns = new Map<string, number>()
  return {
    faultNames,
    faultOf,
    fits: async (fault, system) => feltTargets(fault, await viewOf(system)).length > 0,
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
