/** Finds the effects of the fault itself, which are not damage by the solver while the cause remains. */
import type { CauseFinding } from '../cause/judge-cause.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { servicesFailedByFault } from './call-damage.ts'

export interface FaultEffects {
  /** Keys of workloads. */
  readonly workloads: ReadonlySet<string>
  readonly services: ReadonlySet<string>
}

/** The first version of the rules that distinguishes the effects of the fault from damage. */
const RULES_WITH_EFFECTS = 3

const NONE: FaultEffects = { workloads: new Set(), services: new Set() }

/** Empty if the cause is gone or was not measured: the solver is then to blame for broken objects. */
export const effectsOfFault = (view: EpisodeFacts, cause: CauseFinding | undefined): FaultEffects => {
  if (view.rules < RULES_WITH_EFFECTS || cause === undefined || cause.holds || cause.isUnprobed) return NONE
  return { workloads: view.brokenByFault, services: new Set(servicesFailedByFault(view)) }
}
