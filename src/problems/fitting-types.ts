/** Which of MicroRemed's failure types there is a service for on a system, on which its users would feel them. */
import { FAULT_CATEGORIES, type FaultCategory } from '../spec/index.ts'
import { createCatalogue } from './catalogue.ts'
import { feltTargets } from './draw-targets.ts'

export const fittingTypes = async (system: string): Promise<FaultCategory[]> => {
  const { faultOf, viewOf } = createCatalogue()
  const view = await viewOf(system)
  const faults = await Promise.all(FAULT_CATEGORIES.map(faultOf))
  return FAULT_CATEGORIES.filter((_, index) => feltTargets(faults[index]!, view).length > 0)
}
