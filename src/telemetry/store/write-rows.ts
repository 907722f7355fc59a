/** Puts signals into the tables of a telemetry file. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { WriteBatch } from './write-batch.ts'

const insert = (database: DatabaseSync, table: string, columns: string, extra = ''): StatementSync =>
  database.prepare(
    `INSERT INTO ${table} (${columns}) VALUES (${columns
      .split(',')
      .map(() => '?')
      .join(', ')}) ${extra}`,
  )

/** The same for equal labels, whatever their order. */
const canonical = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))))

type Values = SQLInputValue[]

/** The rows of one batch by table, in the order in which the columns are prepared. */
export const createRowWriter = (database: DatabaseSync) => {
  const statements = {
    spans: insert(
      database,
      'spans',
      'trace_id, span_id, parent_id, name, service, pod, kind, start, duration_ms, status, message, peer, attributes_json',
    ),
    logs: insert(database, 'logs', 'time, namespace, service, pod, container, severity, text'),
    series: insert(database, 'series', 'id, name, service, pod, labels_json', 'ON CONFLICT DO NOTHING'),
    samples: insert(database, 'samples', 'series, time, value'),
    events: insert(database, 'events', 'time, type, reason, object, service, message, count'),
    requests: insert(
      database,
      'requests',
      'journey, walk, step, intended, started, latency_ms, outcome, status, detail, trace_id',
    ),
    journeys: insert(database, 'journeys', 'journey, walk, intended, started, latency_ms, ok, failed_at'),
    alerts: insert(
      database,
      'alerts',
      'name, severity, labels_json, summary, raised, cleared',
      'ON CONFLICT DO UPDATE SET cleared = excluded.cleared, summary = excluded.summary',
    ),
    epochs: insert(database, 'epochs', 'time, name'),
  }

  const write = (statement: StatementSync, rows: Iterable<Values>): void => {
    for (const row of rows) statement.run(...row)
  }

  return (batch: WriteBatch): void => {
    write(
      statements.spans,
      batch.spans.map((span) => [
        ...[span.traceId, span.spanId, span.parentId ?? null, span.name, span.service, span.pod, span.kind],
        ...[span.start, span.durationMs, span.status, span.message ?? null, span.peer ?? null],
        JSON.stringify(span.attributes),
      ]),
    )
    write(
      statements.logs,
      batch.logs.map((line) => [
        ...[line.time, line.namespace, line.service, line.pod, line.container, line.severity, line.text],
      ]),
    )
    write(
      statements.series,
      batch.series.map(({ id, name, labels }) => [
        ...[id, name, labels.service ?? null, labels.pod ?? null, canonical(labels)],
      ]),
    )
    for (let at = 0; at < batch.samples.length; at += 3) {
      const value = batch.samples[at + 2]!
      // SQLite has no word for "not a number".
      statements.samples.run(batch.samples[at]!, batch.samples[at + 1]!, Number.isNaN(value) ? null : value)
    }
    write(
      statements.events,
      batch.events.map((event) => [
        ...[event.time, event.type, event.reason, event.object, event.service ?? null, event.message],
        event.count,
      ]),
    )
    write(
      statements.requests,
      batch.requests.map((request) => [
        ...[request.journey, request.walk, request.step, request.intended, request.started],
        ...[request.latencyMs, request.outcome, request.status, request.detail ?? null, request.traceId],
      ]),
    )
    write(
      statements.journeys,
      batch.journeys.map((walk) => [
        ...[walk.journey, walk.walk, walk.intended, walk.started, walk.latencyMs],
        ...[walk.ok ? 1 : 0, walk.failedAt ?? null],
      ]),
    )
    write(
      statements.alerts,
      batch.alerts.map((alert) => [
        ...[alert.name, alert.severity, canonical(alert.labels), alert.summary, alert.raised],
        alert.cleared ?? null,
      ]),
    )
    write(
      statements.epochs,
      batch.epochs.map(({ time, name }) => [time, name]),
    )
  }
}
