/** Queries for logs, metrics, events and alerts, from Loki and Prometheus. */
import type { ClusterEvent, LogLine, Severity, TelemetryQuery } from '#spec'
import { toClusterEvent } from '../collect/collect-events.ts'
import { parseSeverity } from '../collect/parse-severity.ts'
import { type Backends, CONTAINER_LINES, DEFAULT_LIMIT } from './backends.ts'
import type { LokiLine } from './loki.ts'
import { parseJsonLine } from './parse-json-line.ts'
import { alternatives, quote } from './prometheus.ts'

/** In ascending order. */
const SEVERITIES: readonly string[] = ['debug', 'info', 'warn', 'error']
const EVENTS = '{job="kubernetes-events"}'

const severityOf = ({ labels, line }: LokiLine): Severity => {
  const level = labels.level ?? labels.detected_level ?? ''
  return SEVERITIES.includes(level) ? (level as Severity) : parseSeverity(line)
}

const toLogLine = (lokiLine: LokiLine): LogLine => ({
  time: lokiLine.time,
  namespace: lokiLine.labels.namespace ?? '',
  service: lokiLine.labels.service ?? '',
  pod: lokiLine.labels.pod ?? '',
  container: lokiLine.labels.container ?? '',
  severity: severityOf(lokiLine),
  text: lokiLine.line,
})

const toEvents = ({ line, labels, time }: LokiLine): ClusterEvent[] =>
  parseJsonLine(line).map((object) => ({
    ...toClusterEvent({ metadata: {}, ...object }, { serviceOf: () => labels.service }),
    time,
  }))

export const createLogQueries = ({ loki, lookback }: Backends): Pick<TelemetryQuery, 'logs' | 'events'> => ({
  async logs({ range, services, limit = DEFAULT_LIMIT, severity, contains, pod } = {}) {
    // An empty pattern would match lines without a service.
    if (services?.length === 0) return []
    const matchers = [
      pod === undefined ? CONTAINER_LINES : `pod=${quote(pod)}`,
      ...(services === undefined ? [] : [`service=~${alternatives(services)}`]),
      ...(severity === undefined
        ? []
        : [`level=~${alternatives(SEVERITIES.slice(SEVERITIES.indexOf(severity)))}`]),
    ]
    const query = `{${matchers.join(',')}}${contains === undefined ? '' : ` |= ${quote(contains)}`}`
    return (await loki.lines(query, range ?? lookback(), { limit })).map(toLogLine)
  },
  async events({ range, services, limit = DEFAULT_LIMIT, type } = {}) {
    const lines = await loki.all(EVENTS, range ?? lookback())
    return lines
      .flatMap(toEvents)
      .filter((event) => type === undefined || event.type === type)
      .filter(({ service }) => services === undefined || services.includes(service ?? ''))
      .slice(-limit)
  },
})

export const createMetricQueries = ({
  prometheus,
  lookback,
  lookbackMs,
}: Backends): Pick<TelemetryQuery, 'metricNames' | 'metric' | 'alerts'> => ({
  async metricNames(range) {
    return [...(await prometheus.labelValues('__name__', range ?? lookback()))].sort()
  },
  async metric(name, { range, services, labels = {}, limit = DEFAULT_LIMIT } = {}) {
    if (services?.length === 0) return []
    const matchers = [
      ...(services === undefined ? [] : [`service=~${alternatives(services)}`]),
      ...Object.entries(labels).map(([label, value]) => `${label}=${quote(value)}`),
    ]
    return (await prometheus.samples(name, matchers, range ?? lookback())).slice(-limit)
  },
  async alerts({ range, active } = {}) {
    const recent = lookback()
    // Starts before the range, to find out when alerts that are active at its beginning were raised.
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
})
