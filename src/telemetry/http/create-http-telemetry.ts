/**
 * The port TelemetryQuery over Prometheus, Loki and Jaeger. docs/telemetry.md says by which conventions they hold what
 * they have no form of their own for.
 */
import type { Clock } from '../../kit/index.ts'
import type {
  ClusterEvent,
  JourneyRecord,
  LogLine,
  Severity,
  Span,
  TelemetryQuery,
  TimeRange,
} from '../../spec/index.ts'
import { toClusterEvent } from '../collect/collect-events.ts'
import { parseSeverity } from '../collect/parse-severity.ts'
import { toStatistics } from '../query/statistics.ts'
import { createGetJson } from './get-json.ts'
import { createJaeger } from './jaeger.ts'
import { createLoki, type LokiLine } from './loki.ts'
import { createPrometheus, oneOfThese, quote } from './prometheus.ts'

export interface HttpTelemetryOptions {
  /** Where they answer: `http://prometheus:9090`. */
  prometheus: string
  loki: string
  jaeger: string
  clock: Clock
  /** How far back is looked where a question has no time; an hour where absent. */
  lookbackMs?: number
}

const HOUR_MS = 3_600_000
const DEFAULT_LIMIT = 100
const SEVERITIES: readonly string[] = ['debug', 'info', 'warn', 'error']
/** Lines of jobs are kept by convention and were printed by no pod. */
const PRINTED = 'pod!=""'
const EVENTS = '{job="kubernetes-events"}'
const JOURNEYS = '{job="journeys"}'

const severityOf = ({ labels, line }: LokiLine): Severity => {
  const said = labels.level ?? labels.detected_level ?? ''
  return SEVERITIES.includes(said) ? (said as Severity) : parseSeverity(line)
}

const toLogLine = (found: LokiLine): LogLine => ({
  time: found.time,
  namespace: found.labels.namespace ?? '',
  service: found.labels.service ?? '',
  pod: found.labels.pod ?? '',
  container: found.labels.container ?? '',
  severity: severityOf(found),
  text: found.line,
})

const toJson = (line: string): any[] => {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

const toEvents = ({ line, labels, time }: LokiLine): ClusterEvent[] =>
  toJson(line).map((object) => ({
    ...toClusterEvent({ metadata: {}, ...object }, { serviceOf: () => labels.service }),
    time,
  }))

const isServed = ({ kind }: Span): boolean => kind === 'server' || kind === 'consumer'
const toRequest = ({ durationMs, status }: Span) => ({ durationMs, failed: status === 'error' })

/** Each call with who made it and whom it was made to. */
const toCalls = (spans: readonly Span[]): { from: string; to: string; span: Span }[] => {
  const byId = new Map(spans.map((span) => [`${span.traceId}/${span.spanId}`, span]))
  return spans.flatMap((span) => {
    const { kind, service, peer } = span
    if ((kind === 'client' || kind === 'producer') && peer !== undefined)
      return [{ from: service, to: peer, span }]
    const parent = kind === 'consumer' ? byId.get(`${span.traceId}/${span.parentId}`) : undefined
    return parent === undefined ? [] : [{ from: parent.service, to: service, span }]
  })
}

const grouped = <T>(items: readonly T[], key: (item: T) => string): [string, T[]][] =>
  [...Map.groupBy(items, key)].sort(([a], [b]) => (a < b ? -1 : 1))

export const createHttpTelemetry = (options: HttpTelemetryOptions): TelemetryQuery => {
  const { clock, lookbackMs = HOUR_MS } = options
  const prometheus = createPrometheus(createGetJson('Prometheus', options.prometheus))
  const loki = createLoki(createGetJson('Loki', options.loki))
  const jaeger = createJaeger(createGetJson('Jaeger', options.jaeger))
  const lookback = (): TimeRange => ({ from: clock.now() - lookbackMs, to: clock.now() + 1 })

  const spansIn = async (range: TimeRange, services?: readonly string[]): Promise<readonly Span[]> => {
    const spans = await jaeger.spans(services ?? (await jaeger.services()), range)
    return services === undefined ? spans : spans.filter(({ service }) => services.includes(service))
  }

  const extent = async (): Promise<TimeRange | undefined> => {
    const range = lookback()
    const printed = `{${PRINTED}}`
    const [first, last, spans] = await Promise.all([
      loki.lines(printed, range, { limit: 1, oldest: true }),
      loki.lines(printed, range, { limit: 1 }),
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

  return {
    extent,
    async services(range) {
      const over = range ?? lookback()
      const [fromMetrics, fromLines, traced] = await Promise.all([
        prometheus.labelValues('service', over),
        loki.labelValues('service', over),
        jaeger.services(),
      ])
      const seen = await Promise.all(
        traced.map(async (service) => ((await jaeger.hasSpans(service, over)) ? [service] : [])),
      )
      return [...new Set([...fromMetrics, ...fromLines, ...seen.flat()])].sort()
    },
    async logs({ range, services, limit = DEFAULT_LIMIT, severity, contains, pod } = {}) {
      // An empty pattern would match what has no service at all.
      if (services?.length === 0) return []
      const matchers = [
        pod === undefined ? PRINTED : `pod=${quote(pod)}`,
        ...(services === undefined ? [] : [`service=~${oneOfThese(services)}`]),
        ...(severity === undefined
          ? []
          : [`level=~${oneOfThese(SEVERITIES.slice(SEVERITIES.indexOf(severity)))}`]),
      ]
      const query = `{${matchers.join(',')}}${contains === undefined ? '' : ` |= ${quote(contains)}`}`
      return (await loki.lines(query, range ?? lookback(), { limit })).map(toLogLine)
    },
    async spans({ range, services, limit = DEFAULT_LIMIT, errors, slowerThanMs = -1, operation } = {}) {
      const spans = await spansIn(range ?? lookback(), services)
      return spans
        .filter(({ status }) => errors === undefined || errors === (status === 'error'))
        .filter(({ durationMs }) => durationMs > slowerThanMs)
        .filter(({ name }) => operation === undefined || name === operation)
        .slice(-limit)
    },
    trace: (traceId) => jaeger.trace(traceId),
    async errorSamples({ range, services, limit = DEFAULT_LIMIT } = {}) {
      const failed = (await spansIn(range ?? lookback(), services)).filter(({ status }) => status === 'error')
      return grouped(failed, ({ service, name, message }) => JSON.stringify([service, name, message]))
        .map(([, all]) => ({ count: all.length, last: all.at(-1)!.start, span: all.at(-1)! }))
        .sort((a, b) => b.count - a.count || b.last - a.last)
        .slice(0, limit)
    },
    async endpoints({ range, services, limit } = {}) {
      const served = (await spansIn(range ?? lookback(), services)).filter(isServed)
      const over = range ?? (await extent())
      return grouped(served, ({ service, name }) => JSON.stringify([service, name]))
        .map(([, all]) => ({
          service: all[0]!.service,
          endpoint: all[0]!.name,
          ...toStatistics(all.map(toRequest), over),
        }))
        .slice(0, limit)
    },
    async graph(range) {
      const calls = toCalls(await spansIn(range ?? lookback()))
      const over = range ?? (await extent())
      return grouped(calls, ({ from, to }) => JSON.stringify([from, to])).map(([, all]) => ({
        from: all[0]!.from,
        to: all[0]!.to,
        ...toStatistics(
          all.map(({ span }) => toRequest(span)),
          over,
        ),
      }))
    },
    async journeys(range) {
      const lines = await loki.all(JOURNEYS, range ?? lookback())
      const walks = lines.flatMap(({ line }): JourneyRecord[] => toJson(line))
      const over = range ?? (await extent())
      return grouped(walks, ({ journey }) => journey).map(([journey, all]) => ({
        journey,
        ...toStatistics(
          all.map(({ latencyMs, ok }) => ({ durationMs: latencyMs, failed: !ok })),
          over,
        ),
      }))
    },
    async metricNames(range) {
      return [...(await prometheus.labelValues('__name__', range ?? lookback()))].sort()
    },
    async metric(name, { range, services, labels = {}, limit = DEFAULT_LIMIT } = {}) {
      if (services?.length === 0) return []
      const matchers = [
        ...(services === undefined ? [] : [`service=~${oneOfThese(services)}`]),
        ...Object.entries(labels).map(([label, value]) => `${label}=${quote(value)}`),
      ]
      return (await prometheus.samples(name, matchers, range ?? lookback())).slice(-limit)
    },
    async events({ range, services, limit = DEFAULT_LIMIT, type } = {}) {
      const lines = await loki.all(EVENTS, range ?? lookback())
      return lines
        .flatMap(toEvents)
        .filter((event) => type === undefined || event.type === type)
        .filter(({ service }) => services === undefined || services.includes(service ?? ''))
        .slice(-limit)
    },
    async alerts({ range, active } = {}) {
      const recent = lookback()
      // From before it, so that it is known when those were raised that it begins with.
      const all = await prometheus.alerts(
        range === undefined ? recent : { from: range.from - lookbackMs, to: Math.max(range.to, recent.to) },
      )
      return all
        .filter(({ cleared }) => active === undefined || active === (cleared === undefined))
        .filter(
          ({ raised, cleared }) =>
            range === undefined || (raised < range.to && (cleared === undefined || cleared >= range.from)),
        )
    },
  }
}
