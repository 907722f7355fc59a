/** Explains why a fault does not fit a system or a service, in the same words for drawn, written and manual faults. */
import { findNearestName } from '#kit'
import { type Fault, type FaultTarget, RemediumError, type SystemView } from '#spec'
import { listImpactTargets } from './list-impact-targets.ts'

interface Constraints {
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

/**
 * Explains the first of these conditions that no target meets: the fault can act on it, it has user impact, and no other
 * fault uses its service.
 */
export const explainMisfit = (
  fault: Fault,
  system: SystemView,
  { service, taken = [] }: Constraints,
): string => {
  const isAccepted = (target: FaultTarget): boolean => service === undefined || target.service === service
  const all = fault.targets(system)
  const withImpact = listImpactTargets(fault, system)
  const fitting = withImpact.length === 0 ? '' : ` It fits ${listServices(withImpact)}.`
  if (service !== undefined && !system.workloads.some((workload) => workload.service === service))
    return `${explainUnknownService(service, system)}${fitting.replace(' It', ' The fault')}`
  if (all.length === 0)
    return `The fault cannot act on any service of ${system.name}. Its effect: ${fault.about}`
  if (!all.some(isAccepted)) return `The fault cannot act on ${service}.${fitting}`
  if (!withImpact.some(isAccepted))
    return `The fault can act on ${listServices(all.filter(isAccepted))}, but no journey depends on it.${fitting}`
  return `Each fault of a problem needs a different service, and ${taken.join(', ')} already has one.`
}

/** An error with the explanation as its hint. */
export const toMisfitError = (fault: Fault, system: SystemView, constraints: Constraints): RemediumError => {
  const { service, taken = [] } = constraints
  const scope =
    service === undefined ? `any ${taken.length > 0 ? 'other ' : ''}service` : `the service ${service}`
  return new RemediumError(
    'bad-argument',
    `The fault ${fault.name} does not fit ${scope} of ${system.name}.`,
    { hint: explainMisfit(fault, system, constraints) },
  )
}
