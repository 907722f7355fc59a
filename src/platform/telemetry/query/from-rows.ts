/** Converts rows of a telemetry file to signals. */
import type {
  Alert,
  ClusterEvent,
  LogLine,
  MetricSample,
  RequestStatistics,
  Severity,
  Span,
  TimeRange,
} from '#spec'
import type { SqlRow, SqlValue } from './sql-request.ts'
import { secondsOf } from './statistics.ts'

const text = (value: SqlValue | undefined): string => String(value ?? '')
const number = (value: SqlValue | undefined): number => (value === null ? Number.NaN : Number(value))

/** Returns an object with the field, or an empty object if the column is null. */
const present = <Key extends string>(key: Key, value: SqlValue | undefined): Partial<Record<Key, string>> =>
  value === null || value === undefined ? {} : ({ [key]: String(value) } as Partial<Record<Key, string>>)

export const toSpan = (row: SqlRow): Span => ({
  traceId: text(row.trace_id),
  spanId: text(row.span_id),
  ...present('parentId', row.parent_id),
  name: text(row.name),
  service: text(row.service),
  pod: text(row.pod),
  kind: text(row.kind) as Span['kind'],
  start: number(row.start),
  durationMs: number(row.duration_ms),
  status: text(row.status) as Span['status'],
  ...present('message', row.message),
  ...present('peer', row.peer),
  attributes: JSON.parse(text(row.attributes_json)),
})

export const toLogLine = (row: SqlRow): LogLine => ({
  time: number(row.time),
  namespace: text(row.namespace),
  service: text(row.service),
  pod: text(row.pod),
  container: text(row.container),
  severity: text(row.severity) as Severity,
  text: text(row.text),
})

export const toSample = (row: SqlRow): MetricSample => ({
  time: number(row.time),
  name: text(row.name),
  labels: JSON.parse(text(row.labels_json)),
  value: number(row.value),
})

export const toEvent = (row: SqlRow): ClusterEvent => ({
  time: number(row.time),
  type: text(row.type) as ClusterEvent['type'],
  reason: text(row.reason),
  object: text(row.object),
  ...present('service', row.service),
  message: text(row.message),
  count: number(row.count),
})

export const toAlert = (row: SqlRow): Alert => ({
  name: text(row.name),
  severity: text(row.severity) as Alert['severity'],
  labels: JSON.parse(text(row.labels_json)),
  summary: text(row.summary),
  raised: number(row.raised),
  ...(row.cleared === null ? {} : { cleared: number(row.cleared) }),
})

/** The columns that `rowStatistics` reads. `milliseconds` is a column, `failed` a condition. */
export const statisticsColumns = (milliseconds: string, failed: string): string =>
  `count(*) AS count, sum(${failed}) AS errors, ${[50, 95, 99]
    .map((level) => `percentile_disc(${milliseconds}, ${level / 100}) AS p${level}`)
    .join(', ')}`

export const rowStatistics = (row: SqlRow, range: TimeRange | undefined): RequestStatistics => {
  const count = number(row.count)
  const errors = number(row.errors)
  return {
    count,
    rate: count / secondsOf(range),
    errors,
    errorRate: errors / count,
    p50: number(row.p50),
    p95: number(row.p95),
    p99: number(row.p99),
  }
}
