/** Explains why a fault does not fit a system or a service: the same words for drawn, written and manual faults. */
import { findNearestName } from '#kit'
import { type Fault, type FaultTarget, RemediumError, type SystemView } from '#spec'
import { listImpactTargets } from './list-impact-targets.ts'

interface Wanted {
  /** The only service that is accepted; any by default. */
  readonly service?: string | undefined
  /** Services of other faults, which are excluded. */
  readonly taken?: readonly string[]
}

const listServices = (targets: readonly FaultTarget[]): string =>
  [...new Set(targets.map(({ service }) => service))].sort().join(', ')

const explainUnknownService = (service: string, { name, workloads }: SystemView): string => {
  const nearest = findNearestName(
    service,
    workloads.map((workload) => workload.service),
  )
  return `${name} has no service "${service}"${nearest === undefined ? '.' : `; did you mean "${nearest}"?`}`
}

/** Returns the first condition that no target meets: the fault can act on it, users are affected, and it is free. */
export const explainMisfit = (fault: Fault, system: SystemView, { service, taken = [] }: Wanted): string => {
  const isWanted = (target: FaultTarget): boolean => service === undefined || target.service === service
  const all = fault.targets(system)
  const withImpact = listImpactTargets(fault, system)
  const fitting = withImpact.length === 0 ? '' : ` It fits ${listServices(withImpact)}.`
  if (service !== undefined && !system.workloads.some((workload) => workload.service === service))
    return `${explainUnknownService(service, system)}${fitting.replace(' It', ' The fault')}`
  if (all.length === 0)
    return `The fault cannot act on any service of ${system.name}. What it does: ${fault.about}`
  if (!all.some(isWanted)) return `The fault cannot act on ${service}.${fitting}`
  if (!withImpact.some(isWanted))
    return `The fault can act on ${listServices(all.filter(isWanted))}, but no journey of users depends on it.${fitting}`
  return `Each problem uses a service once, and ${taken.join(', ')} already has a fault.`
}

/** An error with the explanation as its hint. */
export const toMisfitError = (fault: Fault, system: SystemView, wanted: Wanted): RemediumError => {
  const { service, taken = [] } = wanted
  const scope =
    service === undefined ? `any ${taken.length > 0 ? 'other ' : ''}service` : `the service ${service}`
  return new RemediumError(
    'bad-argument',
    `The fault ${fault.name} does not fit ${scope} of ${system.name}.`,
    { hint: explainMisfit(fault, system, wanted) },
  )
}
