/** Inserts signals into the tables of a telemetry file. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Labels, sortLabels } from './sort-labels.ts'
import type { WriteBatch } from './write-batch.ts'

type Row = SQLInputValue[]

interface Table {
  readonly name: string
  readonly columns: string
  readonly onConflict?: string
  /** Rows of a batch, with the values in the order of `columns`. */
  rows(batch: WriteBatch): Iterable<Row>
}

const toCanonicalText = (labels: Labels): string => JSON.stringify(sortLabels(labels))

function* sampleRows({ samples }: WriteBatch): Generator<Row> {
  for (let index = 0; index < samples.length; index += 3) {
    const value = samples[index + 2]!
    // SQLite stores NaN as NULL.
    yield [samples[index]!, samples[index + 1]!, Number.isNaN(value) ? null : value]
  }
}

const TABLES: readonly Table[] = [
  {
    name: 'spans',
    columns:
      'trace_id, span_id, parent_id, name, service, pod, kind, start, duration_ms, status, message, peer, attributes_json',
    rows: ({ spans }) =>
      spans.map((span) => [
        ...[span.traceId, span.spanId, span.parentId ?? null, span.name, span.service, span.pod, span.kind],
        ...[span.start, span.durationMs, span.status, span.message ?? null, span.peer ?? null],
        JSON.stringify(span.attributes),
      ]),
  },
  {
    name: 'logs',
    columns: 'time, namespace, service, pod, container, severity, text',
    rows: ({ logs }) =>
      logs.map((line) => [
        ...[line.time, line.namespace, line.service, line.pod, line.container, line.severity, line.text],
      ]),
  },
  {
    name: 'series',
    columns: 'id, name, service, pod, labels_json',
    onConflict: 'ON CONFLICT DO NOTHING',
    rows: ({ series }) =>
      series.map(({ id, name, labels }) => [
        ...[id, name, labels.service ?? null, labels.pod ?? null, toCanonicalText(labels)],
      ]),
  },
  { name: 'samples', columns: 'series, time, value', rows: sampleRows },
  {
    name: 'events',
    columns: 'time, type, reason, object, service, message, count',
    rows: ({ events }) =>
      events.map((event) => [
        ...[event.time, event.type, event.reason, event.object, event.service ?? null, event.message],
        event.count,
      ]),
  },
  {
    name: 'requests',
    columns: 'journey, run, step, intended, started, latency_ms, outcome, status, detail, trace_id',
    rows: ({ requests }) =>
      requests.map((request) => [
        ...[request.journey, request.run, request.step, request.intended, request.started],
        ...[request.latencyMs, request.outcome, request.status, request.detail ?? null, request.traceId],
      ]),
  },
  {
    name: 'journeys',
    columns: 'journey, run, intended, started, latency_ms, ok, failed_at',
    rows: ({ journeys }) =>
      journeys.map((run) => [
        ...[run.journey, run.run, run.intended, run.started, run.latencyMs],
        ...[run.ok ? 1 : 0, run.failedAt ?? null],
      ]),
  },
  {
    name: 'alerts',
    columns: 'name, severity, labels_json, summary, raised, cleared',
    onConflict: 'ON CONFLICT DO UPDATE SET cleared = excluded.cleared, summary = excluded.summary',
    rows: ({ alerts }) =>
      alerts.map((alert) => [
        ...[alert.name, alert.severity, toCanonicalText(alert.labels), alert.summary, alert.raised],
        alert.cleared ?? null,
      ]),
  },
  {
    name: 'epochs',
    columns: 'time, name',
    rows: ({ epochs }) => epochs.map(({ time, name }) => [time, name]),
  },
]

/** Rows that are inserted by one statement, because each call of a statement has an overhead. */
const ROWS_PER_INSERT = 16

const prepareInsert = (
  database: DatabaseSync,
  { name, columns, onConflict = '' }: Table,
  rowCount: number,
): StatementSync => {
  const row = `(${columns.split(',').map(() => '?')})`
  const rows = Array.from({ length: rowCount }, () => row)
  return database.prepare(`INSERT INTO ${name} (${columns}) VALUES ${rows} ${onConflict}`)
}

/** Returns a function that inserts the rows of a batch into one table. */
const createTableWriter = (database: DatabaseSync, table: Table): ((batch: WriteBatch) => void) => {
  let insertOne: StatementSync | undefined
  let insertMany: StatementSync | undefined
  return (batch) => {
    let pending: Row[] = []
    for (const row of table.rows(batch)) {
      pending.push(row)
      if (pending.length < ROWS_PER_INSERT) continue
      insertMany ??= prepareInsert(database, table, ROWS_PER_INSERT)
      insertMany.run(...pending.flat())
      pending = []
    }
    for (const row of pending) {
      insertOne ??= prepareInsert(database, table, 1)
      insertOne.run(...row)
    }
  }
}

/** Returns a function that inserts a batch. The caller manages the transaction. */
export const createRowWriter = (database: DatabaseSync): ((batch: WriteBatch) => void) => {
  const writers = TABLES.map((table) => createTableWriter(database, table))
  return (batch) => {
    for (const write of writers) write(batch)
  }
}
