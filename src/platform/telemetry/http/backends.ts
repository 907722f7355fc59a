/** The backends behind telemetry over HTTP, and the default time range of a query. */
import type { Clock } from '#kit'
import type { Span, TimeRange } from '#spec'
import { createGetJson } from './get-json.ts'
import { createJaeger, type Jaeger } from './jaeger.ts'
import { createLoki, type Loki } from './loki.ts'
import { createPrometheus, type Prometheus } from './prometheus.ts'

export interface HttpTelemetryOptions {
  /** Base URL, for example `http://prometheus:9090`. */
  prometheus: string
  loki: string
  jaeger: string
  clock: Clock
  /** Length of the default time range of queries, which ends now; one hour by default. */
  lookbackMs?: number
}

export interface Backends {
  readonly prometheus: Prometheus
  readonly loki: Loki
  readonly jaeger: Jaeger
  readonly lookbackMs: number
  lookback(): TimeRange
  /** Returns the spans of the given services; of all services by default. */
  spansIn(range: TimeRange | undefined, services?: readonly string[]): Promise<readonly Span[]>
  extent(): Promise<TimeRange | undefined>
}

const HOUR_MS = 3_600_000
export const DEFAULT_LIMIT = 100
/** Selects the log lines of containers. Events and journeys are stored as lines without a pod. */
export const CONTAINER_LINES = 'pod!=""'

export const createBackends = (options: HttpTelemetryOptions): Backends => {
  const { clock, lookbackMs = HOUR_MS } = options
  const prometheus = createPrometheus(createGetJson('Prometheus', options.prometheus))
  const loki = createLoki(createGetJson('Loki', options.loki))
  const jaeger = createJaeger(createGetJson('Jaeger', options.jaeger))
  const lookback = (): TimeRange => ({ from: clock.now() - lookbackMs, to: clock.now() + 1 })

  const spansIn: Backends['spansIn'] = async (range = lookback(), services) => {
    const spans = await jaeger.spans(services ?? (await jaeger.services()), range)
    return services === undefined ? spans : spans.filter(({ service }) => services.includes(service))
  }

  const extent = async (): Promise<TimeRange | undefined> => {
    const range = lookback()
    const containerLines = `{${CONTAINER_LINES}}`
    const [first, last, spans] = await Promise.all([
      loki.lines(containerLines, range, { limit: 1, oldest: true }),
      loki.lines(containerLines, range, { limit: 1 }),
      spansIn(range),
    ])
    const times = [...first, ...last].map(({ time }) => time).concat(spans.map(({ start }) => start))
    if (times.length === 0) return undefined
    const bounds = times.reduce(
      ({ from, to }, time) => ({ from: Math.min(from, time), to: Math.max(to, time) }),
      { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
    )
    return { from: bounds.from, to: bounds.to + 1 }
  }

  return { prometheus, loki, jaeger, lookbackMs, lookback, spansIn, extent }
}
