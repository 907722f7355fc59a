/** The journeys that faults in some services probably affect. */
import type { FaultTarget, SystemView } from '#spec'

const MAX_JOURNEYS = 4

/** The services that a target names: its own service, and a reader, an upstream or a peer. */
export const namedServices = ({ workloads }: SystemView, { service, ...rest }: FaultTarget): string[] => {
  const named = Object.values(rest).map(String)
  const related = workloads.map((workload) => workload.service).filter((name) => named.includes(name))
  return [...new Set([service, ...related])]
}

/**
 * Returns at most `MAX_JOURNEYS` journeys, those that depend on the most of the services first. If no journey is known to
 * depend on a service, all journeys are candidates.
 */
export const likelyJourneys = (view: SystemView, services: readonly string[]): string[] => {
  const likely = new Set<string>()
  for (const service of services) {
    const impacts = Object.values(view.impactOf(service))
    const countImpacts = (journey: string): number =>
      impacts.filter((journeys) => journeys.includes(journey)).length
    for (const journey of impacts.flat().sort((a, b) => countImpacts(b) - countImpacts(a)))
      likely.add(journey)
  }
  const loaded = view.journeys.map(({ name }) => name)
  const countServices = (journey: string): number =>
    services.filter((service) => Object.values(view.impactOf(service)).flat().includes(journey)).length
  const dependent = [...likely]
    .filter((name) => loaded.includes(name))
    .sort((a, b) => countServices(b) - countServices(a))
  return (dependent.length === 0 ? loaded : dependent).slice(0, MAX_JOURNEYS)
}
