/** Cuts one dependency after the other, and looks at what the caller then does: fail, or go on without. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/kit/index.ts'
import type { RequestRecord, Span } from '../../src/spec/index.ts'
import { cutEdge } from './testing/cut-edge.ts'
import { bringUp, type LiveSystem } from './testing/live-system.ts'
import { isCritical, type OriginalCall, readOriginal } from './testing/original.ts'

type Pair = readonly [from: string, to: string]

const keyOf = ([from, to]: Pair): string => `${from} -> ${to}`

/** For every pair of caller and called the journey with the fewest steps in which it is met. */
const journeysByPair = async (live: LiveSystem): Promise<Map<string, string>> => {
  const { requests } = await live.walk()
  const traces = await live.spansOf(requests)
  const stepsOf = new Map(live.system.workload!.journeys.map(({ name, steps }) => [name, steps.length]))
  const found = new Map<string, string>()
  for (const [place, { journey }] of requests.entries())
    for (const { service, peer } of traces[place]!) {
      const pair = keyOf([service, peer ?? ''])
      const known = found.get(pair)
      if (known === undefined || stepsOf.get(known)! > stepsOf.get(journey)!) found.set(pair, journey)
    }
  return found
}

interface Consequence {
  endpoint: string
  /** Operations of the calls over the cut edge that failed. */
  failed: string[]
  callerFailed: boolean
}

/** What became of each request of the caller in which a call over the edge failed. */
const consequencesOf = (traces: readonly (readonly Span[])[], [from, to]: Pair): Consequence[] =>
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

const WALKS = 6

const expectAsOriginal = async (
  live: LiveSystem,
  { pair, journey, calls }: { pair: Pair; journey: string; calls: readonly OriginalCall[] },
): Promise<void> => {
  const [from, to] = pair
  const join = await cutEdge(live.cluster, { namespace: live.system.namespace, from, to })
  try {
    // Some calls depend on what the user happens to want.
    let consequences: Consequence[] = []
    let requests: readonly RequestRecord[] = []
    for (let walk = 0; walk < WALKS && consequences.length === 0; walk += 1) {
      requests = (await live.walk([journey])).requests
      consequences = consequencesOf(await live.spansOf(requests), pair)
    }
    expect(consequences.length, `requests of ${from} that missed ${to} in ${journey}`).toBeGreaterThan(0)
    expect(consequences).toEqual(
      consequences.map((consequence) => ({
        ...consequence,
        callerFailed: consequence.failed.some((operation) => isCritical(calls, { from, to, operation })),
      })),
    )
    // Where callers go on without, users get an answer, if only one that says what is missing.
    const failed = requests.filter(({ outcome }) => outcome !== 'ok')
    if (consequences.every(({ callerFailed }) => !callerFailed))
      expect(failed.filter(({ outcome }) => outcome !== 'content')).toEqual([])
    else if (live.system.entryPoints.some(({ service }) => service === from)) expect(failed).not.toEqual([])
  } finally {
    join()
  }
}

const describeCuts = (
  name: string,
  choose: (pairs: readonly Pair[], calls: readonly OriginalCall[]) => readonly Pair[],
): void => {
  // What a broker carries is cut on the way to the broker.
  const calls = (readOriginal(name).calls ?? []).map((call) => ({ ...call, to: call.via ?? call.to }))
  const known = [...new Map(calls.map(({ from, to }) => [keyOf([from, to]), [from, to] as const])).values()]
  describe(name, () => {
    let live: LiveSystem
    let journeys: Map<string, string>
    beforeAll(async () => {
      live = await bringUp(name)
      journeys = await journeysByPair(live)
    })
    afterAll(() => live?.close())

    if (name === 'online-boutique')
      it(`${BY_ITSELF} without frontend`, async () => {
        const pair = { from: BY_ITSELF, to: 'frontend' }
        const before = Date.now()
        const join = await cutEdge(live.cluster, { namespace: live.system.namespace, ...pair })
        try {
          const filter = {
            services: [BY_ITSELF],
            errors: true,
            range: { from: before, to: Number.MAX_SAFE_INTEGER },
          }
          await expect
            .poll(async () => (await live.cluster.telemetry!.query.spans(filter)).map(({ peer }) => peer))
            .toContain('frontend')
        } finally {
          join()
        }
      })

    it.each(choose(known, calls))('%s without %s', async (from, to) => {
      const journey = journeys.get(keyOf([from, to]))
      expect(journey, `a journey that meets ${from} -> ${to}`).toBeDefined()
      await expectAsOriginal(live, { pair: [from, to], journey: journey!, calls })
    })
  })
}

// Its calls begin no request of a user.
const BY_ITSELF = 'loadgenerator'
describeCuts('online-boutique', (pairs) => pairs.filter(([from]) => from !== BY_ITSELF))

const TRIED = 20
/** No door of users leads to the one; the other has what it asked once in a table of its own; stores begin by themselves. */
const OUT_OF_REACH = ['ts-food-delivery-service', 'ts-voucher-service', 'nacos']
describeCuts('train-ticket', (pairs, calls) => {
  const inReach = pairs.filter(([from]) => !OUT_OF_REACH.includes(from))
  const isSoft = ([from, to]: Pair): boolean =>
    calls.some((call) => call.from === from && call.to === to && !call.critical)
  const random = createRandom('cut edges')
  const hard = inReach
    .filter((pair) => !isSoft(pair))
    .map((pair) => ({ pair, place: random.next() }))
    .sort((a, b) => a.place - b.place)
  return [...inReach.filter(isSoft), ...hard.map(({ pair }) => pair)].slice(0, TRIED)
})
