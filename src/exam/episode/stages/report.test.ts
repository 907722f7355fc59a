/** Tests that a symptoms report describes the effect of the fault, without the rollout that injected it. */
import { expect, it } from 'vitest'
import type { ClusterTelemetry, TimeRange } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createFakeLab, toJourneyRun, toProblem } from '../testing/fake-lab.ts'
import { report } from './report.ts'

/** Times of the record. New pods are starting from 1000 to 4000, and are slow afterwards. */
const READY_AT = 4000
const REPORT_AT = 7000

/** Answers with the signals whose time is in the range. */
const createQuery = (zero: number) => {
  const signalIn = <T>(range: TimeRange | undefined, at: number, signal: T): T[] =>
    range !== undefined && zero + at >= range.from && zero + at < range.to ? [signal] : []
  return {
    alerts: async () => [],
    errorSamples: async ({ range }: { range: TimeRange }) =>
      signalIn(range, 2000, {
        count: 9,
        span: { service: 'front', name: 'GET /cart', message: 'connection refused' },
      }),
    graph: async (range: TimeRange) => [
      ...signalIn(range, 500, { from: 'front', to: 'cart', count: 9, errors: 0, p95: 7 }),
      ...signalIn(range, 2000, { from: 'front', to: 'stock', count: 9, errors: 9, p95: 1 }),
      ...signalIn(range, 5000, { from: 'front', to: 'cart', count: 9, errors: 0, p95: 700 }),
    ],
    events: async ({ range }: { range: TimeRange }) =>
      signalIn(range, 3000, { object: 'Pod/cart-1', reason: 'Unhealthy', message: 'Readiness probe failed' }),
  }
}

/** `since` is the start of the impact that the stage `impact` found. */
const reportSymptoms = async (since?: number, pending: readonly (readonly [string, number])[] = []) => {
  const { equipment: fake, log } = createFakeLab()
  log.add({ type: 'journeys-run', runs: [], pending })
  const recorded = log.events.length
  const zero = fake.time.precise()
  const { journeys } = fake
  journeys.startHealthy(0)
  for (let count = 0; count < 10; count += 1) journeys.add(toJourneyRun({ intended: zero, started: zero }))
  journeys.collect()
  const addRun = (at: number, latencyMs: number, ok: boolean) =>
    journeys.add(toJourneyRun({ started: zero + at, intended: zero + at, latencyMs, ok, failedAt: 'hello' }))
  for (const at of [1500, 2000, 2500]) addRun(at, 3, false)
  for (const at of [4500, 5000]) addRun(at, 900, true)
  const equipment = {
    ...fake,
    cluster: {
      ...fake.cluster,
      api: { list: async () => ({ items: [] }) },
      telemetry: { query: createQuery(zero), flush: async () => {} } as unknown as ClusterTelemetry,
    },
    time: { ...fake.time, precise: () => zero + REPORT_AT },
  } as unknown as Equipment
  const events = [
    { at: 900, type: 'objects-listed', objects: [] } as const,
    {
      at: REPORT_AT,
      type: 'user-impact-observed',
      affected: true,
      journeys: ['greet'],
      evidence: '',
      ...(since === undefined ? {} : { since }),
    } as const,
  ]
  const { report: given } = await report.run({
    equipment,
    problem: toProblem([], { report: 'symptoms' }),
    log: { ...log, events, at: () => REPORT_AT },
    baseline: { from: zero, to: zero + 900 },
  })
  return { text: given.text, events: log.events.slice(recorded) }
}

it('includes no failure from before the new pods were ready', async () => {
  const { text } = await reportSymptoms(READY_AT)
  expect(text).toContain(
    'journey greet: 0 % of 2 runs failed, 0 % before the incident; median 900 ms, 10 ms before',
  )
  expect(text).toContain('front to cart: 0 % of 9 calls failed; p95 700 ms, 7 ms before')
  expect(text).not.toMatch(/refused|stock|Unhealthy/)
})

it('includes all failures since the injection if no pods have to become ready', async () => {
  const { text } = await reportSymptoms()
  expect(text).toContain('journey greet: 60 % of 5 runs failed (the first at step "hello")')
  expect(text).toMatch(/front GET \/cart: connection refused \(9 times\)/)
  expect(text).toContain('front to stock: 100 % of 9 calls failed; p95 1 ms, no calls before')
  expect(text).toContain('Pod/cart-1: Unhealthy')
})

it('records the calls since the same time, as a reference for damage', async () => {
  const { events } = await reportSymptoms(READY_AT)
  expect(events.map(({ type }) => type)).toEqual(['calls-observed', 'report-given'])
  expect(events[0]).toMatchObject({ edges: [{ from: 'front', to: 'cart', count: 9, errors: 0 }] })
})

it('names users who are still waiting, without any run that has ended', async () => {
  const pending = [
    ['greet', 2000],
    ['greet', 5200],
    ['greet', 5500],
    ['greet', 6990],
  ] as const
  const { text } = await reportSymptoms(5100, pending)
  expect(text).toContain(
    'journey greet: no run has ended, 2 users have been waiting for up to 1800 ms; median 10 ms before',
  )
  expect((await reportSymptoms(READY_AT, pending)).text).toContain(
    'median 900 ms, 10 ms before; 2 users have been waiting for up to 1800 ms',
  )
})
