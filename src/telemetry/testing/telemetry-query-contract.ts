/** What every implementation of the port TelemetryQuery must answer: one suite that each of them runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TelemetryQuery } from '../../spec/index.ts'
import { SAMPLE_SIGNALS, type SignalSet, T0 } from './sample-signals.ts'

export interface TelemetryQuerySubject {
  query: TelemetryQuery
  close?(): Promise<void>
}

const at = (from: number, to: number) => ({ from: T0 + from * 1000, to: T0 + to * 1000 })
const NOWHEN = { from: T0 - 20_000, to: T0 - 10_000 }
/** Backends keep times of spans in microseconds at best. */
const near = (value: number) => expect.closeTo(value, 2)

/** `createSubject` gives a query over just these signals. */
export const describeTelemetryQuery = (
  name: string,
  createSubject: (signals: SignalSet) => Promise<TelemetryQuerySubject>,
): void => {
  describe(`the port TelemetryQuery ${name}`, () => {
    let subject: TelemetryQuerySubject
    let query: TelemetryQuery
    beforeAll(async () => {
      subject = await createSubject(SAMPLE_SIGNALS)
      query = subject.query
    })
    afterAll(() => subject.close?.())

    it('knows from when to when it has signals', async () => {
      const { from, to } = (await query.extent())!
      expect(from).toBeGreaterThan(T0 - 1)
      expect(from).toBeLessThan(T0 + 10)
      expect(to).toBeGreaterThan(T0 + 59_000)
      expect(to).toBeLessThan(T0 + 60_000)
    })

    it('lists the services that any signal came from', async () => {
      expect(await query.services()).toEqual(['cart', 'mail', 'stock', 'web'])
      expect(await query.services(at(1, 5))).toEqual(['cart', 'mail', 'web'])
      expect(await query.services(NOWHEN)).toEqual([])
    })

    it('gives the newest log lines in the order of time', async () => {
      const lines = await query.logs({ limit: 3 })
      expect(lines).toEqual(SAMPLE_SIGNALS.logs.slice(-3))
      expect(await query.logs({ range: at(0, 2) })).toEqual(SAMPLE_SIGNALS.logs.slice(0, 2))
      expect(await query.logs({ services: ['mail'] })).toEqual([])
      expect(await query.logs({ services: [] })).toEqual([])
      expect(await query.logs({ range: NOWHEN })).toEqual([])
    })

    it('filters log lines by severity and those above, by content and by pod', async () => {
      expect(await query.logs({ severity: 'error' })).toHaveLength(6)
      expect(await query.logs({ severity: 'info' })).toHaveLength(36)
      expect(await query.logs({ severity: 'debug', services: ['cart'] })).toHaveLength(60)
      expect((await query.logs({ contains: '19 failed: "connection"' })).map(({ text }) => text)).toEqual([
        'visit 19 failed: "connection" refused',
      ])
      expect(await query.logs({ contains: 'VISIT' })).toEqual([])
      expect(await query.logs({ pod: 'cart-0' })).toHaveLength(60)
      expect(await query.logs({ pod: 'cart-1' })).toEqual([])
    })

    it('gives the newest spans in the order of time, whole', async () => {
      const spans = await query.spans({ range: at(58, 60), services: ['cart'], limit: 2 })
      const wanted = SAMPLE_SIGNALS.spans.filter(({ service }) => service === 'cart').slice(-2)
      expect(spans).toEqual(
        wanted.map((span) => ({ ...span, start: near(span.start), durationMs: near(span.durationMs) })),
      )
    })

    it('filters spans by failure, duration and operation', async () => {
      expect(await query.spans({ errors: true })).toHaveLength(18)
      expect(await query.spans({ errors: false, services: ['web'] })).toHaveLength(100)
      const slow = await query.spans({ slowerThanMs: 60, services: ['web'] })
      expect(slow.map(({ durationMs }) => Math.round(durationMs)).sort()).toEqual([
        61, 61, 62, 62, 63, 63, 64, 64, 65, 65, 66, 66, 67, 67, 68,
      ])
      expect(await query.spans({ operation: 'read mails' })).toHaveLength(54)
      expect(await query.spans({ operation: 'read' })).toEqual([])
    })

    it('gives a trace by start, and nothing of one that is not there', async () => {
      const { traceId } = SAMPLE_SIGNALS.spans[0]!
      expect((await query.trace(traceId)).map(({ service, kind }) => `${service} ${kind}`)).toEqual([
        'web server',
        'web client',
        'cart server',
        'cart producer',
        'mail consumer',
      ])
      expect(await query.trace('f'.repeat(32))).toEqual([])
    })

    it('gives one example for each different failure', async () => {
      const samples = await query.errorSamples()
      expect(
        samples.map(({ count, span }) => `${count} ${span.service} ${span.name} ${span.message}`).sort(),
      ).toEqual([
        '6 cart GetCart redis: connection refused',
        '6 web GET /cart redis: connection refused',
        '6 web GetCart redis: connection refused',
      ])
      expect(samples.map(({ last, span }) => Math.round(last - span.start))).toEqual([0, 0, 0])
      const few = await query.errorSamples({ range: at(0, 15), services: ['cart'], limit: 1 })
      expect(few).toMatchObject([{ count: 1, last: near(T0 + 9003) }])
      expect(await query.errorSamples({ range: at(0, 9) })).toEqual([])
    })

    it('tells how each endpoint was served', async () => {
      const all = await query.endpoints({ range: at(0, 60) })
      expect(all.map(({ service, endpoint, count, errors }) => [service, endpoint, count, errors])).toEqual([
        ['cart', 'GetCart', 60, 6],
        ['mail', 'read mails', 54, 0],
        ['web', 'GET /cart', 60, 6],
      ])
      expect(all[0]).toMatchObject({ errorRate: near(0.1), rate: near(1) })
      // 7 to 66 milliseconds, one of each.
      expect(all[0]).toMatchObject({ p50: near(36), p95: near(63), p99: near(65) })
      const few = await query.endpoints({ range: at(0, 30), services: ['mail'] })
      expect(few).toMatchObject([{ service: 'mail', count: 27, rate: near(0.9), errors: 0, errorRate: 0 }])
      expect(await query.endpoints({ range: NOWHEN })).toEqual([])
    })

    it('tells who called whom, also over queues', async () => {
      const edges = await query.graph(at(0, 60))
      expect(edges.map(({ from, to, count, errors }) => [from, to, count, errors])).toEqual([
        ['cart', 'broker', 54, 0],
        ['cart', 'mail', 54, 0],
        ['web', 'cart', 60, 6],
      ])
      expect(edges[2]).toMatchObject({ rate: near(1), errorRate: near(0.1), p50: near(37) })
      expect((await query.graph(at(0, 10))).map(({ count }) => count)).toEqual([9, 9, 10])
      expect(await query.graph(NOWHEN)).toEqual([])
    })

    it('tells how journeys went', async () => {
      const journeys = await query.journeys(at(0, 60))
      expect(journeys.map(({ journey, count, errors }) => [journey, count, errors])).toEqual([
        ['browse', 30, 0],
        ['buy', 30, 6],
      ])
      expect(journeys[1]).toMatchObject({ errorRate: near(0.2), rate: near(0.5), p50: near(49) })
      expect(await query.journeys(NOWHEN)).toEqual([])
    })

    it('names the metrics and gives their samples', async () => {
      expect(await query.metricNames()).toEqual(
        expect.arrayContaining(['node_load1', 'requests_served_total']),
      )
      expect(await query.metricNames(NOWHEN)).toEqual([])
      const web = await query.metric('requests_served_total', { services: ['web'] })
      expect(web).toEqual(
        SAMPLE_SIGNALS.metrics.filter(
          ({ name, labels }) => name === 'requests_served_total' && labels.service === 'web',
        ),
      )
      const one = { range: at(10, 11), labels: { endpoint: 'GET /"x"', service: 'cart' } }
      expect((await query.metric('requests_served_total', one)).map(({ value }) => value)).toEqual([10])
      expect(await query.metric('requests_served_total', { labels: { endpoint: 'other' } })).toEqual([])
      expect((await query.metric('node_load1', { limit: 2 })).map(({ time }) => time - T0)).toEqual([
        50_000, 55_000,
      ])
      expect(await query.metric('nothing_total')).toEqual([])
      expect(await query.metric('node_load1', { services: [] })).toEqual([])
    })

    it('gives events, by type and service', async () => {
      expect(await query.events()).toEqual(SAMPLE_SIGNALS.events)
      expect(await query.events({ type: 'Warning' })).toEqual(SAMPLE_SIGNALS.events.slice(1))
      expect(await query.events({ services: ['cart'] })).toEqual(SAMPLE_SIGNALS.events.slice(0, 1))
      expect(await query.events({ range: at(1, 2) })).toEqual([])
    })

    it('gives alerts that held at a time, and those that still do', async () => {
      const names = async (filter?: Parameters<TelemetryQuery['alerts']>[0]) =>
        (await query.alerts(filter)).map((alert) => alert.name)
      expect(await query.alerts()).toEqual(SAMPLE_SIGNALS.alerts)
      expect(await names({ active: true })).toEqual(['EndpointErrors'])
      expect(await names({ active: false })).toEqual(['PodCrashLooping'])
      expect(await names({ range: at(32, 33) })).toEqual(['PodCrashLooping'])
      expect(await names({ range: at(46, 60) })).toEqual(['EndpointErrors'])
      expect(await names({ range: at(0, 31) })).toEqual([])
    })
  })
}
