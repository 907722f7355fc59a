/** Compares the calls between the services of each system with those of the original, also with dependencies cut. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import { listSystemNames } from '#world/systems'
import type { RecordBatch } from '#world/workload'
import { callInside } from './testing/call-inside.ts'
import { expectSameAsOriginal, findJourneys, keyOf, type Pair } from './testing/cut-dependency.ts'
import { cutEdge } from './testing/cut-edge.ts'
import { bringUp, type LiveSystem } from './testing/live-system.ts'
import { hasOriginal, type OriginalCall, readOriginal } from './testing/original.ts'

const toNames = (edges: readonly { from: string; to: string }[]): string[] =>
  edges.map(({ from, to }) => `${from} -> ${to}`).sort()

const pairsToNames = (edges: readonly Pair[]): string[] => toNames(edges.map(([from, to]) => ({ from, to })))

// Its calls do not belong to requests of journeys, so it has a separate test.
const LOAD_GENERATOR = 'loadgenerator'

const MAX_EDGES = 20
/** No entry point leads to the first, the second answers from its own table, and requests do not call the third. */
const UNREACHABLE = ['ts-food-delivery-service', 'ts-voucher-service', 'nacos']

/** All dependencies whose failure the caller survives, and some of the others, chosen at random but always the same. */
const chooseCuts = (pairs: readonly Pair[], calls: readonly OriginalCall[]): readonly Pair[] => {
  const reachable = pairs.filter(([from]) => !UNREACHABLE.includes(from))
  const isOptional = ([from, to]: Pair): boolean =>
    calls.some((call) => call.from === from && call.to === to && !call.critical)
  const random = createRandom('cut edges')
  const critical = reachable
    .filter((pair) => !isOptional(pair))
    .map((pair) => ({ pair, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
  return [...reachable.filter(isOptional), ...critical.map(({ pair }) => pair)].slice(0, MAX_EDGES)
}

/** The dependencies that are cut, by system. */
const CUTS: Readonly<
  Record<string, (pairs: readonly Pair[], calls: readonly OriginalCall[]) => readonly Pair[]>
> = {
  'online-boutique': (pairs) => pairs.filter(([from]) => from !== LOAD_GENERATOR),
  'train-ticket': chooseCuts,
}

interface Played {
  readonly live: LiveSystem
  /** One run of every journey. */
  readonly batch: RecordBatch
}

const describeCuts = (name: string, played: () => Played): void => {
  // For messages, the connection to the broker is cut.
  const calls = (readOriginal(name).calls ?? []).map((call) => ({ ...call, to: call.via ?? call.to }))
  const known = [...new Map(calls.map(({ from, to }) => [keyOf([from, to]), [from, to] as const])).values()]
  let journeys: Map<string, string>
  beforeAll(async () => {
    const { live, batch } = played()
    journeys = await findJourneys(live, batch)
  })

  it.each(CUTS[name]!(known, calls))(
    '%s without %s fails or continues, as in the original',
    async (from, to) => {
      const journey = journeys.get(keyOf([from, to]))
      expect(journey, `a journey with the call ${from} -> ${to}`).toBeDefined()
      await expectSameAsOriginal(played().live, { pair: [from, to], journey: journey!, calls })
    },
  )
}

const testLoadGenerator = (played: () => Played): void => {
  it(`${LOAD_GENERATOR} without frontend reports failed calls`, async () => {
    const { cluster, system } = played().live
    const before = Date.now()
    const reconnect = await cutEdge(cluster, {
      namespace: system.namespace,
      from: LOAD_GENERATOR,
      to: 'frontend',
    })
    try {
      const filter = {
        services: [LOAD_GENERATOR],
        errors: true,
        range: { from: before, to: Number.MAX_SAFE_INTEGER },
      }
      await expect
        .poll(async () => (await cluster.telemetry!.query.spans(filter)).map(({ peer }) => peer))
        .toContain('frontend')
    } finally {
      reconnect()
    }
  })
}

describe.each(listSystemNames())('%s', (name) => {
  let live: LiveSystem
  let batch: RecordBatch
  beforeAll(async () => {
    live = await bringUp(name)
    batch = await live.runJourneys()
  })
  afterAll(() => live?.close())

  // The first test, because cut dependencies can lead to other calls.
  it('calls what the original calls, and every journey succeeds', async () => {
    const { requests, journeys } = batch
    expect(requests.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(new Set(journeys.map(({ journey }) => journey))).toEqual(
      new Set(live.system.workload!.journeys.map((journey) => journey.name)),
    )
    await callInside(live)
    // A system without an original is compared only with its own topology.
    const expected = hasOriginal(name) ? pairsToNames(readOriginal(name).live) : toNames(live.system.edges!)
    expect(toNames(live.system.edges!)).toEqual(expected)
    // Background calls, such as heartbeats and queued messages, happen later.
    await expect.poll(async () => toNames(await live.cluster.telemetry!.query.graph())).toEqual(expected)
  })

  const played = (): Played => ({ live, batch })
  if (name in CUTS) describe('with a dependency cut', () => describeCuts(name, played))
  if (name === 'online-boutique') testLoadGenerator(played)
})
