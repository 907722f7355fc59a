/** The contract suite of the port TelemetryQuery, run by every implementation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TelemetryQuery } from '#spec'
import { SAMPLE_SIGNALS, type SignalSet, T0 } from './sample-signals.ts'

export interface TelemetryQuerySubject {
  query: TelemetryQuery
  close?(): Promise<void>
}

type GetQuery = () => TelemetryQuery

const seconds = (from: number, to: number) => ({ from: T0 + from * 1000, to: T0 + to * 1000 })
/** A time range without signals. */
const EMPTY_RANGE = { from: T0 - 20_000, to: T0 - 10_000 }
/** Backends store span times with a resolution of one microsecond at best. */
const closeTo = (value: number) => expect.closeTo(value, 2)

const describeExtent = (query: GetQuery): void => {
  it('returns the time range of its signals', async () => {
    const { from, to } = (await query().extent())!
    expect(from).toBeGreaterThan(T0 - 1)
    expect(from).toBeLessThan(T0 + 10)
    expect(to).toBeGreaterThan(T0 + 59_000)
    expect(to).toBeLessThan(T0 + 60_000)
  })

  it('lists the services with signals', async () => {
    expect(await query().services()).toEqual(['cart', 'mail', 'stock', 'web'])
    expect(await query().services(seconds(1, 5))).toEqual(['cart', 'mail', 'web'])
    expect(await query().services(EMPTY_RANGE)).toEqual([])
  })
}

const describeLogs = (query: GetQuery): void => {
  it('returns the newest log lines in order of time', async () => {
    const lines = await query().logs({ limit: 3 })
    expect(lines).toEqual(SAMPLE_SIGNALS.logs.slice(-3))
    expect(await query().logs({ range: seconds(0, 2) })).toEqual(SAMPLE_SIGNALS.logs.slice(0, 2))
    expect(await query().logs({ services: ['mail'] })).toEqual([])
    expect(await query().logs({ services: [] })).toEqual([])
    expect(await query().logs({ range: EMPTY_RANGE })).toEqual([])
  })

  it('filters log lines by minimum severity, content and pod', async () => {
    expect(await query().logs({ severity: 'error' })).toHaveLength(6)
    expect(await query().logs({ severity: 'info' })).toHaveLength(36)
    expect(await query().logs({ severity: 'debug', services: ['cart'] })).toHaveLength(60)
    expect((await query().logs({ contains: '19 failed: "connection"' })).map(({ text }) => text)).toEqual([
      'visit 19 failed: "connection" refused',
    ])
    expect(await query().logs({ contains: 'VISIT' })).toEqual([])
    expect(await query().logs({ pod: 'cart-0' })).toHaveLength(60)
    expect(await query().logs({ pod: 'cart-1' })).toEqual([])
  })
}

const describeSpans = (query: GetQuery): void => {
  it('returns the newest spans in order of time with all fields', async () => {
    const spans = await query().spans({ range: seconds(58, 60), services: ['cart'], limit: 2 })
    const expected = SAMPLE_SIGNALS.spans.filter(({ service }) => service === 'cart').slice(-2)
    expect(spans).toEqual(
      expected.map((span) => ({ ...span, start: closeTo(span.start), durationMs: closeTo(span.durationMs) })),
    )
  })

  it('filters spans by status, duration and operation', async () => {
    expect(await query().spans({ errors: true })).toHaveLength(18)
    expect(await query().spans({ errors: false, services: ['web'] })).toHaveLength(100)
    const slow = await query().spans({ slowerThanMs: 60, services: ['web'] })
    expect(slow.map(({ durationMs }) => Math.round(durationMs)).sort()).toEqual([
      61, 61, 62, 62, 63, 63, 64, 64, 65, 65, 66, 66, 67, 67, 68,
    ])
    expect(await query().spans({ operation: 'read mails' })).toHaveLength(54)
    expect(await query().spans({ operation: 'read' })).toEqual([])
  })

  it('returns a trace in order of start, and no spans of an unknown trace', async () => {
    const { traceId } = SAMPLE_SIGNALS.spans[0]!
    expect((await query().trace(traceId)).map(({ service, kind }) => `${service} ${kind}`)).toEqual([
      'web server',
      'web client',
      'cart server',
      'cart producer',
      'mail consumer',
    ])
    expect(await query().trace('f'.repeat(32))).toEqual([])
  })

  it('returns one example for each distinct failure', async () => {
    const samples = await query().errorSamples()
    expect(
      samples.map(({ count, span }) => `${count} ${span.service} ${span.name} ${span.message}`).sort(),
    ).toEqual([
      '6 cart GetCart redis: connection refused',
      '6 web GET /cart redis: connection refused',
      '6 web GetCart redis: connection refused',
    ])
    expect(samples.map(({ last, span }) => Math.round(last - span.start))).toEqual([0, 0, 0])
    const limited = await query().errorSamples({ range: seconds(0, 15), services: ['cart'], limit: 1 })
    expect(limited).toMatchObject([{ count: 1, last: closeTo(T0 + 9003) }])
    expect(await query().errorSamples({ range: seconds(0, 9) })).toEqual([])
  })
}

const describeStatistics = (query: GetQuery): void => {
  it('aggregates requests by endpoint', async () => {
    const statistics = await query().endpoints({ range: seconds(0, 60) })
    const rows = statistics.map(({ service, endpoint, count, errors }) => [service, endpoint, count, errors])
    expect(rows).toEqual([
      ['cart', 'GetCart', 60, 6],
      ['mail', 'read mails', 54, 0],
      ['web', 'GET /cart', 60, 6],
    ])
    expect(statistics[0]).toMatchObject({ errorRate: closeTo(0.1), rate: closeTo(1) })
    // 7 to 66 milliseconds, one of each.
    expect(statistics[0]).toMatchObject({ p50: closeTo(36), p95: closeTo(63), p99: closeTo(65) })
    const endpoints = await query().endpoints({ range: seconds(0, 30), services: ['mail'] })
    expect(endpoints).toMatchObject([
      { service: 'mail', count: 27, rate: closeTo(0.9), errors: 0, errorRate: 0 },
    ])
    expect(await query().endpoints({ range: EMPTY_RANGE })).toEqual([])
  })

  it('aggregates calls by caller and callee, including queues', async () => {
    const edges = await query().graph(seconds(0, 60))
    expect(edges.map(({ from, to, count, errors }) => [from, to, count, errors])).toEqual([
      ['cart', 'broker', 54, 0],
      ['cart', 'mail', 54, 0],
      ['web', 'cart', 60, 6],
    ])
    expect(edges[2]).toMatchObject({ rate: closeTo(1), errorRate: closeTo(0.1), p50: closeTo(37) })
    expect((await query().graph(seconds(0, 10))).map(({ count }) => count)).toEqual([9, 9, 10])
    expect(await query().graph(EMPTY_RANGE)).toEqual([])
  })

  it('aggregates journey runs', async () => {
    const journeys = await query().journeys(seconds(0, 60))
    expect(journeys.map(({ journey, count, errors }) => [journey, count, errors])).toEqual([
      ['browse', 30, 0],
      ['buy', 30, 6],
    ])
    expect(journeys[1]).toMatchObject({ errorRate: closeTo(0.2), rate: closeTo(0.5), p50: closeTo(49) })
    expect(await query().journeys(EMPTY_RANGE)).toEqual([])
  })
}

const describeSignals = (query: GetQuery): void => {
  it('lists metrics and returns their samples', async () => {
    expect(await query().metricNames()).toEqual(
      expect.arrayContaining(['node_load1', 'requests_served_total']),
    )
    expect(await query().metricNames(EMPTY_RANGE)).toEqual([])
    const web = await query().metric('requests_served_total', { services: ['web'] })
    expect(web).toEqual(
      SAMPLE_SIGNALS.metrics.filter(
        ({ name, labels }) => name === 'requests_served_total' && labels.service === 'web',
      ),
    )
    const labelQuery = { range: seconds(10, 11), labels: { endpoint: 'GET /"x"', service: 'cart' } }
    expect((await query().metric('requests_served_total', labelQuery)).map(({ value }) => value)).toEqual([
      10,
    ])
    expect(await query().metric('requests_served_total', { labels: { endpoint: 'other' } })).toEqual([])
    expect((await query().metric('node_load1', { limit: 2 })).map(({ time }) => time - T0)).toEqual([
      50_000, 55_000,
    ])
    expect(await query().metric('nothing_total')).toEqual([])
    expect(await query().metric('node_load1', { services: [] })).toEqual([])
  })

  it('filters events by type and service', async () => {
    expect(await query().events()).toEqual(SAMPLE_SIGNALS.events)
    expect(await query().events({ type: 'Warning' })).toEqual(SAMPLE_SIGNALS.events.slice(1))
    expect(await query().events({ services: ['cart'] })).toEqual(SAMPLE_SIGNALS.events.slice(0, 1))
    expect(await query().events({ range: seconds(1, 2) })).toEqual([])
  })

  it('filters alerts by time range and by active state', async () => {
    const alertNames = async (filter?: Parameters<TelemetryQuery['alerts']>[0]) =>
      (await query().alerts(filter)).map((alert) => alert.name)
    expect(await query().alerts()).toEqual(SAMPLE_SIGNALS.alerts)
    expect(await alertNames({ active: true })).toEqual(['EndpointErrors'])
    expect(await alertNames({ active: false })).toEqual(['PodCrashLooping'])
    expect(await alertNames({ range: seconds(32, 33) })).toEqual(['PodCrashLooping'])
    expect(await alertNames({ range: seconds(46, 60) })).toEqual(['EndpointErrors'])
    expect(await alertNames({ range: seconds(0, 31) })).toEqual([])
  })
}

/** `createSubject` returns a query over exactly these signals. */
export const describeTelemetryQuery = (
  name: string,
  createSubject: (signals: SignalSet) => Promise<TelemetryQuerySubject>,
): void => {
  describe(`the port TelemetryQuery ${name}`, () => {
    let subject: TelemetryQuerySubject
    beforeAll(async () => {
      subject = await createSubject(SAMPLE_SIGNALS)
    })
    afterAll(() => subject.close?.())

    const query: GetQuery = () => subject.query
    describeExtent(query)
    describeLogs(query)
    describeSpans(query)
    describeStatistics(query)
    describeSignals(query)
  })
}
