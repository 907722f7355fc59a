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

const toText = (value: SqlValue | undefined): string => String(value ?? '')
const toNumber = (value: SqlValue | undefined): number => (value === null ? Number.NaN : Number(value))

/** Returns an object with the field, or an empty object if the column is null. */
const optionalText = <Key extends string>(
  key: Key,
  value: SqlValue | undefined,
): Partial<Record<Key, string>> =>
  value === null || value === undefined ? {} : ({ [key]: String(value) } as Partial<Record<Key, string>>)

export const toSpan = (row: SqlRow): Span => ({
  traceId: toText(row.trace_id),
  spanId: toText(row.span_id),
  ...optionalText('parentId', row.parent_id),
  name: toText(row.name),
  service: toText(row.service),
  pod: toText(row.pod),
  kind: toText(row.kind) as Span['kind'],
  start: toNumber(row.start),
  durationMs: toNumber(row.duration_ms),
  status: toText(row.status) as Span['status'],
  ...optionalText('message', row.message),
  ...optionalText('peer', row.peer),
  attributes: JSON.parse(toText(row.attributes_json)),
})

export const toLogLine = (row: SqlRow): LogLine => ({
  time: toNumber(row.time),
  namespace: toText(row.namespace),
  service: toText(row.service),
  pod: toText(row.pod),
  container: toText(row.container),
  severity: toText(row.severity) as Severity,
  text: toText(row.text),
})

export const toSample = (row: SqlRow): MetricSample => ({
  time: toNumber(row.time),
  name: toText(row.name),
  labels: JSON.parse(toText(row.labels_json)),
  value: toNumber(row.value),
})

export const toEvent = (row: SqlRow): ClusterEvent => ({
  time: toNumber(row.time),
  type: toText(row.type) as ClusterEvent['type'],
  reason: toText(row.reason),
  object: toText(row.object),
  ...optionalText('service', row.service),
  message: toText(row.message),
  count: toNumber(row.count),
})

export const toAlert = (row: SqlRow): Alert => ({
  name: toText(row.name),
  severity: toText(row.severity) as Alert['severity'],
  labels: JSON.parse(toText(row.labels_json)),
  summary: toText(row.summary),
  raised: toNumber(row.raised),
  ...(row.cleared === null ? {} : { cleared: toNumber(row.cleared) }),
})

/** The columns that `rowStatistics` reads. `milliseconds` is a column, `failed` a condition. */
export const statisticsColumns = (milliseconds: string, failed: string): string =>
  `count(*) AS count, sum(${failed}) AS errors, ${[50, 95, 99]
    .map((level) => `percentile_disc(${milliseconds}, ${level / 100}) AS p${level}`)
    .join(', ')}`

export const rowStatistics = (row: SqlRow, range: TimeRange | undefined): RequestStatistics => {
  const count = toNumber(row.count)
  const errors = toNumber(row.errors)
  return {
    count,
    rate: count / secondsOf(range),
    errors,
    errorRate: errors / count,
    p50: toNumber(row.p50),
    p95: toNumber(row.p95),
    p99: toNumber(row.p99),
  }
}
