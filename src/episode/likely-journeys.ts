/** The journeys that faults on some services are likely to be felt in. */
import type { SystemView } from '../spec/index.ts'

/** So many at most. */
const MOST_JOURNEYS = 4

export const likelyJourneys = (view: SystemView, services: readonly string[]): string[] => {
  const likely = new Set<string>()
  for (const service of services) {
    const ways = Object.values(view.impactOf(service))
    const suffers = (journey: string): number => ways.filter((way) => way.includes(journey)).length
    // Those that suffer in most ways come first.
    for (const journey of ways.flat().sort((one, other) => suffers(other) - suffers(one))) likely.add(journey)
  }
  const walked = view.journeys.map(({ name }) => name)
  const known = [...likely].filter((name) => walked.includes(name))
  return (known.length === 0 ? walked : known).slice(0, MOST_JOURNEYS)
}
