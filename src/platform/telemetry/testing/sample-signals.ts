/** A fixed set of signals of a small shop over one minute, for tests of queries. */
import type { Alert, ClusterEvent, JourneyRecord, LogLine, MetricSample, RequestRecord, Span } from '#spec'

/** Start of the minute. */
export const T0 = Date.UTC(2026, 2, 1, 12)

export interface SignalSet {
  readonly spans: readonly Span[]
  readonly logs: readonly LogLine[]
  readonly metrics: readonly MetricSample[]
  readonly events: readonly ClusterEvent[]
  readonly alerts: readonly Alert[]
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')

/** The trace of visit `n` in second `n`: web calls cart, cart queues a message that mail reads. Every tenth call fails. */
const traceOf = (n: number): Span[] => {
  const traceId = hex(n + 1, 32)
  const start = T0 + n * 1000
  const failed = n % 10 === 9
  const status = failed ? 'error' : 'ok'
  const span = (position: number, fields: Partial<Span> & Pick<Span, 'name' | 'service' | 'kind'>): Span => ({
    traceId,
    spanId: hex(n * 16 + position, 16),
    ...(position === 1 ? {} : { parentId: hex(n * 16 + position - 1, 16) }),
    pod: `${fields.service}-0`,
    start: start + position,
    durationMs: n + 10 - position,
    status: 'ok',
    attributes: { 'visit.number': n },
    ...fields,
  })
  const message = failed ? { message: 'redis: connection refused' } : {}
  return [
    span(1, { name: 'GET /cart', service: 'web', kind: 'server', status, ...message }),
    span(2, { name: 'GetCart', service: 'web', kind: 'client', peer: 'cart', status, ...message }),
    span(3, { name: 'GetCart', service: 'cart', kind: 'server', status, ...message }),
    ...(failed
      ? []
      : [
          span(4, { name: 'send mails', service: 'cart', kind: 'producer', peer: 'broker' }),
          span(5, { name: 'read mails', service: 'mail', kind: 'consumer' }),
        ]),
  ]
}

const seconds = Array.from({ length: 60 }, (_, n) => n)

const logs = seconds.map((n): LogLine => {
  const failed = n % 10 === 9
  return {
    time: T0 + n * 1000 + 3,
    namespace: 'shop',
    service: 'cart',
    pod: 'cart-0',
    container: 'server',
    severity: failed ? 'error' : n % 2 === 0 ? 'info' : 'debug',
    text: failed ? `visit ${n} failed: "connection" refused` : `visit ${n} served`,
  }
})

const metrics = seconds
  .filter((n) => n % 5 === 0)
  .flatMap((n): MetricSample[] => [
    ...['web', 'cart'].map((service) => ({
      time: T0 + n * 1000,
      name: 'requests_served_total',
      labels: { service, pod: `${service}-0`, endpoint: 'GET /"x"' },
      value: n * (service === 'web' ? 2 : 1),
    })),
    { time: T0 + n * 1000, name: 'node_load1', labels: { node: 'node1' }, value: 0.5 },
  ])

export const SAMPLE_SIGNALS: SignalSet = {
  spans: seconds.flatMap(traceOf),
  logs,
  metrics,
  events: [
    {
      time: T0 + 500,
      type: 'Normal',
      reason: 'Started',
      object: 'Pod/cart-0',
      service: 'cart',
      message: 'Started container server',
      count: 1,
    },
    {
      time: T0 + 30_000,
      type: 'Warning',
      reason: 'BackOff',
      object: 'Pod/stock-0',
      service: 'stock',
      message: 'Back-off restarting failed container',
      count: 3,
    },
  ],
  alerts: [
    {
      name: 'PodCrashLooping',
      severity: 'page',
      labels: { service: 'stock', pod: 'stock-0' },
      summary: 'A container of stock-0 crashes repeatedly',
      raised: T0 + 31_000,
      cleared: T0 + 45_000,
    },
    {
      name: 'EndpointErrors',
      severity: 'page',
      labels: { service: 'cart' },
      summary: 'cart fails',
      raised: T0 + 40_000,
    },
  ],
  requests: seconds.map((n) => ({
    journey: n % 2 === 0 ? 'browse' : 'buy',
    run: n,
    step: 'cart',
    intended: T0 + n * 1000,
    started: T0 + n * 1000,
    latencyMs: 20 + n,
    outcome: n % 10 === 9 ? 'status' : 'ok',
    status: n % 10 === 9 ? 500 : 200,
    ...(n % 10 === 9 ? { detail: 'status 500' } : {}),
    traceId: hex(n + 1, 32),
  })),
  journeys: seconds.map((n) => ({
    journey: n % 2 === 0 ? 'browse' : 'buy',
    run: n,
    intended: T0 + n * 1000,
    started: T0 + n * 1000,
    latencyMs: 20 + n,
    ok: n % 10 !== 9,
    ...(n % 10 === 9 ? { failedAt: 'cart' } : {}),
  })),
}
