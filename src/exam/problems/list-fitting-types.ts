/** Lists MicroRemed's failure types that have a target with user impact on a system. */
import { FAULT_CATEGORIES, type FaultCategory } from '#spec'
import { createCatalogue } from './create-catalogue.ts'
import { listImpactTargets } from './list-impact-targets.ts'

export const listFittingTypes = async (system: string): Promise<FaultCategory[]> => {
  const { faultOf, viewOf } = createCatalogue()
  const view = await viewOf(system)
  const faults = await Promise.all(FAULT_CATEGORIES.map(faultOf))
  return FAULT_CATEGORIES.filter((_, index) => listImpactTargets(faults[index]!, view).length > 0)
}
