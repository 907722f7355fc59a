/** Proves that queries over arrays and SQL give the same results. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Alert, ApiObject, ClusterEvent, Span } from '#spec'
import type { CollectedLine, SampleBatch } from '../../collect/collected-sink.ts'
import { toPodState } from '../../collect/pod-index.ts'
import { createMemoryDatabase } from '../../store/memory/create-memory-database.ts'
import type { MemorySignals } from '../../store/memory/memory-signals.ts'
import { fakePod } from '../../testing/fake-pod.ts'
import { createSqliteQuery } from '../create-sqlite-query.ts'
import { createArrayQueries } from './create-array-queries.ts'

/** Few values, so that many signals are equal. */
const time = fc.integer({ min: 0, max: 12 })
const service = fc.constantFrom('cart', 'mail', 'web')
const id = fc.constantFrom('1', '2', '3')
const labels = fc.constantFrom({ b: '1', a: '2' }, { a: '2', b: '1' }, { a: '3' })

const span: fc.Arbitrary<Span> = fc.record(
  {
    traceId: id,
    spanId: id,
    parentId: id,
    name: fc.constantFrom('GET /', 'send'),
    service,
    pod: fc.constant('p'),
    kind: fc.constantFrom('server', 'client', 'producer', 'consumer', 'internal'),
    start: time,
    durationMs: fc.constantFrom(1, 2, 3.5, 100),
    status: fc.constantFrom('ok', 'error'),
    message: fc.constantFrom('', 'a', 'b'),
    peer: service,
    attributes: fc.constantFrom({}, { n: 1, yes: true }),
  },
  {
    requiredKeys: [
      ...(['traceId', 'spanId', 'name', 'service', 'pod', 'kind', 'start'] as const),
      ...(['durationMs', 'status', 'attributes'] as const),
    ],
  },
)

const event: fc.Arbitrary<ClusterEvent> = fc.record(
  {
    time,
    type: fc.constantFrom('Normal', 'Warning'),
    reason: fc.constant('r'),
    object: id,
    service,
    message: id,
    count: fc.constant(1),
  },
  { requiredKeys: ['time', 'type', 'reason', 'object', 'message', 'count'] },
)

const alert: fc.Arbitrary<Alert> = fc.record(
  {
    name: id,
    severity: fc.constantFrom('page', 'ticket'),
    labels,
    summary: id,
    raised: time,
    cleared: time,
  },
  { requiredKeys: ['name', 'severity', 'labels', 'summary', 'raised'] },
)

const pod = service.map((name) => toPodState(fakePod(name, name) as ApiObject))

const batch: fc.Arbitrary<SampleBatch> = fc.oneof(
  fc.record({
    type: fc.constant('usage' as const),
    time,
    pods: fc.array(pod, { maxLength: 2 }),
    readings: fc.constant([]),
  }),
  fc.record({
    type: fc.constant('scrape' as const),
    time,
    pod,
    isFirst: fc.boolean(),
    text: fc.constant('up_to 7'),
  }),
  fc.record({
    type: fc.constant('plain' as const),
    samples: fc.array(
      fc.record({
        time,
        name: id,
        labels: fc.oneof(
          labels,
          service.map((name) => ({ service: name })),
        ),
        value: time,
      }),
      { maxLength: 2 },
    ),
  }),
)

const line: fc.Arbitrary<CollectedLine> = fc.record({
  time,
  pod,
  container: fc.constant('c'),
  text: fc.constant('INFO x'),
})
const journey = fc.record({
  journey: id,
  run: time,
  intended: time,
  started: time,
  latencyMs: time,
  ok: fc.boolean(),
})

const listOf = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 12 })

const signalSet: fc.Arbitrary<MemorySignals> = fc.record({
  spans: fc.array(span, { maxLength: 30 }),
  lines: listOf(line),
  samples: listOf(batch),
  events: listOf(event),
  requests: fc.constant([]),
  journeys: listOf(journey),
  alerts: listOf(alert),
  epochs: fc.constant([]),
})

const range = fc.option(
  fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
  { nil: undefined },
)
const filter = fc.record(
  {
    range: range.filter((value) => value !== undefined),
    services: fc.subarray(['cart', 'mail', 'web']),
    limit: fc.integer({ min: 0, max: 4 }),
    type: fc.constantFrom('Normal' as const, 'Warning' as const),
    active: fc.boolean(),
  },
  { requiredKeys: [] },
)

it('answers as SQL does', async () => {
  await fc.assert(
    fc.asyncProperty(signalSet, range, filter, async (signals, within, chosen) => {
      const database = createMemoryDatabase(signals)
      const arrays = createArrayQueries(() => signals)
      const sqlite = createSqliteQuery(async (sql, parameters) => {
        database.fill(sql)
        return database.rows(sql, parameters)
      })
      try {
        const answers = async (query: typeof arrays) => ({
          extent: await query.extent(),
          services: await query.services(within),
          graph: await query.graph(within),
          errorSamples: await query.errorSamples(chosen),
          events: await query.events(chosen),
          alerts: await query.alerts(chosen),
        })
        const [actual, expected] = [await answers(arrays), await answers(sqlite)]
        expect(actual).toEqual(expected)
        // Labels are shown to agents, so their order counts.
        expect(JSON.stringify(actual.alerts.map((found) => found.labels))).toBe(
          JSON.stringify(expected.alerts.map((found) => found.labels)),
        )
      } finally {
        database.close()
      }
    }),
    { numRuns: 150 },
  )
})

it('keeps the same edges above the limit', async () => {
  const spans = Array.from(
    { length: 4000 },
    (_, n): Span => ({
      traceId: '1',
      spanId: String(n),
      name: 'call',
      service: 'web',
      pod: 'web-0',
      kind: 'client',
      start: n,
      durationMs: 1,
      status: n % 1500 === 7 ? 'error' : 'ok',
      peer: `peer-${(n * 7919) % 2500}`,
      attributes: {},
    }),
  )
  const signals: MemorySignals = {
    spans,
    lines: [],
    samples: [],
    events: [],
    requests: [],
    journeys: [],
    alerts: [],
    epochs: [],
  }
  const database = createMemoryDatabase(signals)
  database.fill('spans')
  const sqlite = createSqliteQuery(async (sql, parameters) => database.rows(sql, parameters))
  const edges = await createArrayQueries(() => signals).graph({ from: 0, to: 4000 })
  expect(edges).toHaveLength(1000)
  expect(edges).toEqual(await sqlite.graph({ from: 0, to: 4000 }))
  database.close()
})
