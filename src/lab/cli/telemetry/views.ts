/** The views of `remedium telemetry`: each queries telemetry and formats the result. */

import { toTable } from '#lab/text'
import type { OpenTelemetry } from '#platform/telemetry'
import { RemediumError, type RequestStatistics, type Severity, type SignalFilter, type Span } from '#spec'
import { toPrintable } from './to-printable.ts'
import { toTraceText } from './trace-text.ts'

export interface ViewOptions extends SignalFilter {
  readonly severity?: Severity
  readonly contains?: string
  readonly pod?: string
  readonly errors?: boolean
  readonly slowerThanMs?: number
}

export interface ViewResult {
  readonly value: unknown
  readonly text: string
}

/** Options of the command that filter a result. */
type ViewOption = 'from' | 'to' | 'service' | 'limit' | 'severity' | 'contains' | 'pod' | 'failed' | 'slower'

export interface View {
  /** The options that the view uses; others are rejected. */
  readonly options: readonly ViewOption[]
  /** The options without an argument, if they differ. */
  readonly optionsWithoutArgument?: readonly ViewOption[]
  /** The name of the argument, in brackets if it is optional; by default there is none. */
  readonly argument?: string
  query(telemetry: OpenTelemetry, question: ViewOptions, argument: string): Promise<ViewResult>
}

const NOTHING = 'No results.'

const time = (milliseconds: number): string => new Date(milliseconds).toISOString()
const ms = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1))

const table = (
  value: unknown,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): ViewResult => ({
  value,
  text:
    rows.length === 0
      ? NOTHING
      : toTable(
          headings,
          rows.map((row) => row.map(toPrintable)),
        ),
})

const STATISTICS = ['COUNT', 'PER SECOND', 'ERRORS', 'ERROR RATE', 'P50 MS', 'P95 MS', 'P99 MS']
const statistics = ({ count, rate, errors, errorRate, p50, p95, p99 }: RequestStatistics): string[] => [
  ...[String(count), rate.toFixed(2), String(errors), `${(100 * errorRate).toFixed(2)} %`],
  ...[p50, p95, p99].map(ms),
]

const labels = (all: Readonly<Record<string, string>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** Summarises a trace: its first span, the number of spans, and whether any failed. */
const summaryOf = (trace: readonly Span[]) => {
  const { traceId, service, name: operation, start, durationMs } = trace[0]!
  const status = trace.some((span) => span.status === 'error') ? 'error' : 'ok'
  return { traceId, start, service, operation, durationMs, spans: trace.length, status }
}

const TIMES = ['from', 'to'] as const
const SIGNALS = [...TIMES, 'service', 'limit'] as const
const SPANS_PER_TRACE = 50

export const VIEWS: Readonly<Record<string, View>> = {
  services: {
    options: TIMES,
    async query({ query }, { range }) {
      const services = await query.services(range)
      return { value: { services }, text: services.length === 0 ? NOTHING : services.join('\n') }
    },
  },
  graph: {
    options: TIMES,
    async query({ query }, { range }) {
      const edges = await query.graph(range)
      const rows = edges.map((edge) => [edge.from, edge.to, ...statistics(edge)])
      return table({ edges }, ['FROM', 'TO', ...STATISTICS], rows)
    },
  },
  endpoints: {
    options: SIGNALS,
    async query({ query }, question) {
      const endpoints = await query.endpoints(question)
      const rows = endpoints.map((one) => [one.service, one.endpoint, ...statistics(one)])
      return table({ endpoints }, ['SERVICE', 'ENDPOINT', ...STATISTICS], rows)
    },
  },
  journeys: {
    options: TIMES,
    async query({ query }, { range }) {
      const journeys = await query.journeys(range)
      return table(
        { journeys },
        ['JOURNEY', ...STATISTICS],
        journeys.map((one) => [one.journey, ...statistics(one)]),
      )
    },
  },
  logs: {
    options: [...SIGNALS, 'severity', 'contains', 'pod'],
    async query({ query }, question) {
      const lines = await query.logs(question)
      const text = lines.map(
        (line) => `${time(line.time)} ${line.pod} ${line.severity.padEnd(5)} ${toPrintable(line.text)}`,
      )
      return { value: { logs: lines }, text: text.length === 0 ? NOTHING : text.join('\n') }
    },
  },
  traces: {
    options: [...SIGNALS, 'failed', 'slower'],
    async query({ query }, { limit = 100, ...question }) {
      const found = await query.spans({ ...question, limit: limit * SPANS_PER_TRACE })
      const ids = [...new Set(found.map(({ traceId }) => traceId))].slice(-limit)
      // The filter may match only some spans of a trace.
      const complete = await Promise.all(ids.map((id) => query.trace(id)))
      // A trace may have been evicted in the meantime.
      const traces = complete.filter(({ length }) => length > 0).map(summaryOf)
      return table(
        { traces },
        ['TRACE', 'START', 'SERVICE', 'OPERATION', 'MS', 'SPANS', 'STATUS'],
        traces.map(({ traceId, start, service, operation, durationMs, spans, status }) => [
          ...[traceId, time(start), service, operation, ms(durationMs), String(spans), status],
        ]),
      )
    },
  },
  trace: {
    options: [],
    argument: 'ID',
    async query({ query }, _question, traceId) {
      const spans = await query.trace(traceId)
      if (spans.length === 0) throw new RemediumError('bad-argument', `There is no trace "${traceId}".`)
      return { value: { spans }, text: toTraceText(spans) }
    },
  },
  errors: {
    options: SIGNALS,
    async query({ query }, question) {
      const errors = await query.errorSamples(question)
      return table(
        { errors },
        ['COUNT', 'LAST', 'SERVICE', 'OPERATION', 'TRACE', 'MESSAGE'],
        errors.map(({ count, last, span }) => [
          ...[String(count), time(last), span.service, span.name, span.traceId, span.message ?? '-'],
        ]),
      )
    },
  },
  metrics: {
    options: SIGNALS,
    optionsWithoutArgument: TIMES,
    argument: '[NAME]',
    async query({ query }, question, name) {
      if (name === '') {
        const names = await query.metricNames(question.range)
        return { value: { names }, text: names.length === 0 ? NOTHING : names.join('\n') }
      }
      const samples = await query.metric(name, question)
      const rows = samples.map((sample) => [time(sample.time), String(sample.value), labels(sample.labels)])
      return table({ samples }, ['TIME', 'VALUE', 'LABELS'], rows)
    },
  },
  events: {
    options: SIGNALS,
    async query({ query }, question) {
      const events = await query.events(question)
      return table(
        { events },
        ['TIME', 'TYPE', 'REASON', 'OBJECT', 'COUNT', 'MESSAGE'],
        events.map(({ time: at, type, reason, object, count, message }) => [
          ...[time(at), type, reason, object, String(count), message],
        ]),
      )
    },
  },
  alerts: {
    options: TIMES,
    async query({ query }, { range }) {
      const alerts = await query.alerts(range === undefined ? {} : { range })
      return table(
        { alerts },
        ['RAISED', 'CLEARED', 'SEVERITY', 'ALERT', 'LABELS', 'SUMMARY'],
        alerts.map((alert) => [
          ...[
            time(alert.raised),
            alert.cleared === undefined ? 'active' : time(alert.cleared),
            alert.severity,
          ],
          ...[alert.name, labels(alert.labels), alert.summary],
        ]),
      )
    },
  },
  sql: {
    options: [],
    argument: '"SELECT ..."',
    async query({ sql }, _question, text) {
      const answer = await sql(text)
      const rows = answer.rows.map((row) => answer.columns.map((column) => String(row[column] ?? '-')))
      const shown = table(answer, answer.columns, rows)
      return answer.truncated ? { ...shown, text: `${shown.text}\n(more rows omitted)` } : shown
    },
  },
}
