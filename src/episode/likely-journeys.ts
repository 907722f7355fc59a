/** The journeys that faults on some services are likely to be felt in. */
import type { FaultTarget, SystemView } from '../spec/index.ts'

/** So many at most. */
const MOST_JOURNEYS = 4

/** Whom a target is about: the one that is hit, and a reader, an upstream or a peer where it names one. */
export const namedServices = ({ workloads }: SystemView, { service, ...rest }: FaultTarget): string[] => {
  const named = Object.values(rest).map(String)
  const others = workloads.map((workload) => workload.service).filter((one) => named.includes(one))
  return [...new Set([service, ...others])]
}

/** Those first that suffer by most of the services. */
export const likelyJourneys = (view: SystemView, services: readonly string[]): string[] => {
  const likely = new Set<string>()
  for (const service of services) {
    const ways = Object.values(view.impactOf(service))
    const suffers = (journey: string): number => ways.filter((way) => way.includes(journey)).length
    // Those that suffer in most ways come first.
    for (const journey of ways.flat().sort((one, other) => suffers(other) - suffers(one))) likely.add(journey)
  }
  const walked = view.journeys.map(({ name }) => name)
  const suffersBy = (journey: string): number =>
    services.filter((service) => Object.values(view.impactOf(service)).flat().includes(journey)).length
  const known = [...likely]
    .filter((name) => walked.includes(name))
    .sort((one, other) => suffersBy(other) - suffersBy(one))
  return (known.length === 0 ? walked : known).slice(0, MOST_JOURNEYS)
}
