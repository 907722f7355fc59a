/** Creates the context that all journey runs of one generator share. */
import type { Random } from '#kit'
import type { OpenEntryPoint, Workload } from '#spec'
import { compileJourneys } from './compile-journeys.ts'
import type { RunContext } from './run-journey.ts'

export interface RunContextOptions extends Pick<RunContext, 'client' | 'now' | 'onRequest' | 'onJourney'> {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly random: Random
}

const drawHexDigits = (random: Random, count: number): string => {
  let digits = ''
  while (digits.length < count)
    digits += random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return digits.slice(0, count)
}

export const createRunContext = (options: RunContextOptions): RunContext => {
  const { workload, entryPoints, now, random, client, onRequest, onJourney } = options
  // The label contains the time: two loads with the same seed on one cluster need different trace ids.
  const traceRandom = random.fork(`traces since ${now()}`)
  const origins = new Map(entryPoints.map(({ name, url }) => [name, new URL(url).origin]))
  const defaultOrigin = new URL(entryPoints[0]!.url).origin
  return {
    client,
    now,
    onRequest,
    onJourney,
    journeys: compileJourneys(workload.journeys, now),
    newTraceId: () => drawHexDigits(traceRandom, 32),
    originOf: (name) => (name === undefined ? defaultOrigin : origins.get(name)!),
  }
}
