/** Lists the targets of a fault on a system that cause user impact. */
import type { Fault, FaultTarget, SystemView } from '#spec'
import { canonicalJson } from './canonical-json.ts'

/** The services that the target names, and those that a repair may change. */
const servicesOf = (fault: Fault, system: SystemView, target: FaultTarget): string[] => {
  const params = Object.fromEntries(
    Object.entries(fault.parameters).map(([name, declared]) => [name, declared.default]),
  )
  return [...Object.values(target).map(String), ...(fault.scope?.({ system, target, params }).services ?? [])]
}

/** Targets with user impact, in an order that depends only on the targets. */
export const listImpactTargets = (fault: Fault, system: SystemView): FaultTarget[] => {
  const hasImpact = (target: FaultTarget): boolean =>
    servicesOf(fault, system, target).some((service) => {
      const { down, slow } = system.impactOf(service)
      return down.length > 0 || slow.length > 0
    })
  return fault
    .targets(system)
    .filter(hasImpact)
    .map((target) => ({ target, key: canonicalJson(target) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ target }) => target)
}
