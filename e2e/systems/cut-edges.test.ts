/** Cuts each dependency, and checks whether the caller fails or continues without it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { RequestRecord, Span } from '#spec'
import { cutEdge } from './testing/cut-edge.ts'
import { bringUp, type LiveSystem } from './testing/live-system.ts'
import { isCritical, type OriginalCall, readOriginal } from './testing/original.ts'

type Pair = readonly [from: string, to: string]

const keyOf = ([from, to]: Pair): string => `${from} -> ${to}`

/** Finds the shortest journey for each pair of caller and callee. */
const findJourneys = async (live: LiveSystem): Promise<Map<string, string>> => {
  const { requests } = await live.runJourneys()
  const traces = await live.spansOf(requests)
  const stepsOf = new Map(live.system.workload!.journeys.map(({ name, steps }) => [name, steps.length]))
  const found = new Map<string, string>()
  for (const [index, { journey }] of requests.entries())
    for (const { service, peer } of traces[index]!) {
      const pair = keyOf([service, peer ?? ''])
      const known = found.get(pair)
      if (known === undefined || stepsOf.get(known)! > stepsOf.get(journey)!) found.set(pair, journey)
    }
  return found
}

interface Consequence {
  endpoint: string
  /** The operations of failed calls over the cut edge. */
  failed: string[]
  callerFailed: boolean
}

/** Returns, for each request of the caller in which a call over the edge failed, whether the caller failed. */
const findConsequences = (traces: readonly (readonly Span[])[], [from, to]: Pair): Consequence[] =>
  traces.flatMap((spans) => {
    const broken = spans.filter(
      ({ service, peer, status }) => service === from && peer === to && status === 'error',
    )
    const served = spans.filter(
      ({ service, kind }) => service === from && (kind === 'server' || kind === 'consumer'),
    )
    return served.flatMap(({ spanId, name, status }) => {
      const failed = broken.filter(({ parentId }) => parentId === spanId).map((span) => span.name)
      return failed.length === 0 ? [] : [{ endpoint: name, failed, callerFailed: status === 'error' }]
    })
  })

const MAX_RUNS = 6

const expectSameAsOriginal = async (
  live: LiveSystem,
  { pair, journey, calls }: { pair: Pair; journey: string; calls: readonly OriginalCall[] },
): Promise<void> => {
  const [from, to] = pair
  const reconnect = await cutEdge(live.cluster, { namespace: live.system.namespace, from, to })
  try {
    // Some calls depend on the random data of the journey.
    let consequences: Consequence[] = []
    let requests: readonly RequestRecord[] = []
    for (let runs = 0; runs < MAX_RUNS && consequences.length === 0; runs += 1) {
      requests = (await live.runJourneys([journey])).requests
      consequences = findConsequences(await live.spansOf(requests), pair)
    }
    expect(
      consequences.length,
      `requests of ${from} with failed calls to ${to} in ${journey}`,
    ).toBeGreaterThan(0)
    expect(consequences).toEqual(
      consequences.map((consequence) => ({
        ...consequence,
        callerFailed: consequence.failed.some((operation) => isCritical(calls, { from, to, operation })),
      })),
    )
    // If the caller continues, users get an answer, even if its content is incomplete.
    const failed = requests.filter(({ outcome }) => outcome !== 'ok')
    if (consequences.every(({ callerFailed }) => !callerFailed))
      expect(failed.filter(({ outcome }) => outcome !== 'content')).toEqual([])
    else if (live.system.entryPoints.some(({ service }) => service === from)) expect(failed).not.toEqual([])
  } finally {
    reconnect()
  }
}

const describeCuts = (
  name: string,
  choose: (pairs: readonly Pair[], calls: readonly OriginalCall[]) => readonly Pair[],
): void => {
  // For messages, the connection to the broker is cut.
  const calls = (readOriginal(name).calls ?? []).map((call) => ({ ...call, to: call.via ?? call.to }))
  const known = [...new Map(calls.map(({ from, to }) => [keyOf([from, to]), [from, to] as const])).values()]
  describe(name, () => {
    let live: LiveSystem
    let journeys: Map<string, string>
    beforeAll(async () => {
      live = await bringUp(name)
      journeys = await findJourneys(live)
    })
    afterAll(() => live?.close())

    if (name === 'online-boutique')
      it(`${LOAD_GENERATOR} without frontend reports failed calls`, async () => {
        const pair = { from: LOAD_GENERATOR, to: 'frontend' }
        const before = Date.now()
        const reconnect = await cutEdge(live.cluster, { namespace: live.system.namespace, ...pair })
        try {
          const filter = {
            services: [LOAD_GENERATOR],
            errors: true,
            range: { from: before, to: Number.MAX_SAFE_INTEGER },
          }
          await expect
            .poll(async () => (await live.cluster.telemetry!.query.spans(filter)).map(({ peer }) => peer))
            .toContain('frontend')
        } finally {
          reconnect()
        }
      })

    it.each(choose(known, calls))(
      '%s without %s fails or continues, as in the original',
      async (from, to) => {
        const journey = journeys.get(keyOf([from, to]))
        expect(journey, `a journey with the call ${from} -> ${to}`).toBeDefined()
        await expectSameAsOriginal(live, { pair: [from, to], journey: journey!, calls })
      },
    )
  })
}

// Its calls do not belong to requests of journeys, so it has a separate test.
const LOAD_GENERATOR = 'loadgenerator'
describeCuts('online-boutique', (pairs) => pairs.filter(([from]) => from !== LOAD_GENERATOR))

const MAX_EDGES = 20
/** No entry point leads to the first, the second answers from its own table, and requests do not call the third. */
const UNREACHABLE = ['ts-food-delivery-service', 'ts-voucher-service', 'nacos']
describeCuts('train-ticket', (pairs, calls) => {
  const reachable = pairs.filter(([from]) => !UNREACHABLE.includes(from))
  const isOptional = ([from, to]: Pair): boolean =>
    calls.some((call) => call.from === from && call.to === to && !call.critical)
  const random = createRandom('cut edges')
  const critical = reachable
    .filter((pair) => !isOptional(pair))
    .map((pair) => ({ pair, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
  return [...reachable.filter(isOptional), ...critical.map(({ pair }) => pair)].slice(0, MAX_EDGES)
})
