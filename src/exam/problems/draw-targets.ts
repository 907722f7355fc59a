/** Draws the targets of faults without replacement: each is used once before any is repeated. */
import { type Random, shuffle } from '#kit'
import { type Fault, type FaultTarget, RemediumError, type SystemView } from '#spec'
import { canonicalJson } from './canonical-json.ts'

/** The services that the target names, and those that a fix may change. */
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

/** The callers and upstreams of a service. */
const neighboursOf = (system: SystemView, service: string): ReadonlySet<string> =>
  new Set(
    system.edges
      .filter(({ from, to }) => from === service || to === service)
      .map(({ from, to }) => (from === service ? to : from)),
  )

export interface TargetOptions {
  /** Restricts targets to this service. */
  readonly service?: string | undefined
  /** Services of other faults, which are excluded. */
  readonly taken: readonly string[]
  /** Prefers callers and upstreams of this service. */
  readonly near?: string | undefined
  readonly turn: number
}

const listServices = (targets: readonly FaultTarget[]): string =>
  [...new Set(targets.map(({ service }) => service))].sort().join(', ')

/** Returns the first condition that no target meets: the fault can act on it, users are affected, and it is free. */
const explainMisfit = (
  fault: Fault,
  system: SystemView,
  { service, taken }: Pick<TargetOptions, 'service' | 'taken'>,
): string => {
  const isWanted = (target: FaultTarget): boolean => service === undefined || target.service === service
  const all = fault.targets(system)
  const withImpact = listImpactTargets(fault, system)
  if (service !== undefined && !system.workloads.some((workload) => workload.service === service))
    return `${system.name} has no service "${service}".`
  if (all.length === 0)
    return `The fault cannot act on any service of ${system.name}. What it does: ${fault.about}`
  if (!all.some(isWanted)) return `The fault cannot act on ${service}. It can act on ${listServices(all)}.`
  if (!withImpact.some(isWanted))
    return `The fault can act on ${listServices(all.filter(isWanted))}, but no journey of users depends on it.`
  return `Each problem uses a service once, and ${taken.join(', ')} already has a fault.`
}

export const drawTarget = (
  fault: Fault,
  system: SystemView,
  random: Random,
  { service, taken, near, turn }: TargetOptions,
): FaultTarget => {
  const free = listImpactTargets(fault, system).filter((target) => !taken.includes(target.service))
  const eligible = service === undefined ? free : free.filter((target) => target.service === service)
  if (eligible.length === 0) {
    const scope =
      service === undefined ? `any ${taken.length > 0 ? 'other ' : ''}service` : `the service ${service}`
    throw new RemediumError(
      'bad-argument',
      `the fault ${fault.name} does not fit ${scope} of ${system.name}`,
      { hint: explainMisfit(fault, system, { service, taken }) },
    )
  }
  const neighbours = near === undefined ? new Set() : neighboursOf(system, near)
  const nearby = eligible.filter((target) => neighbours.has(target.service))
  const shuffled = shuffle(nearby.length > 0 ? nearby : eligible, random)
  return shuffled[turn % shuffled.length]!
}
