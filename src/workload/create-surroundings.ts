/** What the walks of one generator have in common. */
import type { Random } from '../kit/index.ts'
import type { OpenEntryPoint, Workload } from '../spec/index.ts'
import { compileJourneys } from './compile-journey.ts'
import type { WalkSurroundings } from './walk-journey.ts'

export interface SurroundingsOptions
  extends Pick<WalkSurroundings, 'client' | 'now' | 'onRequest' | 'onJourney'> {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly random: Random
}

const hexDigits = (random: Random, count: number): string => {
  let digits = ''
  while (digits.length < count)
    digits += random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return digits.slice(0, count)
}

export const createSurroundings = (options: SurroundingsOptions): WalkSurroundings => {
  const { workload, entryPoints, now, random, client, onRequest, onJourney } = options
  // Not of the seed alone: two runs of the same seed on one cluster are different traces.
  const traceRandom = random.fork(`traces since ${now()}`)
  const origins = new Map(entryPoints.map(({ name, url }) => [name, new URL(url).origin]))
  const first = new URL(entryPoints[0]!.url).origin
  return {
    client,
    now,
    onRequest,
    onJourney,
    journeys: compileJourneys(workload.journeys, now),
    newTraceId: () => hexDigits(traceRandom, 32),
    originOf: (name) => (name === undefined ? first : origins.get(name)!),
  }
}
