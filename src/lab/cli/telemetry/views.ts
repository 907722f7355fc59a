/** The views of `remedium telemetry`: each queries telemetry and formats the result. */

import { defined } from '#kit'
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
  /** The options that the view uses without an argument, if they differ. */
  readonly optionsWithoutArgument?: readonly ViewOption[]
  /** The name of the argument, in brackets if it is optional; by default there is none. */
  readonly argument?: string
  query(telemetry: OpenTelemetry, filter: ViewOptions, argument: string): Promise<ViewResult>
}

const NO_RESULTS = 'No results.'

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
const toMsText = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1))

const tableResult = (
  value: unknown,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): ViewResult => ({
  value,
  text:
    rows.length === 0
      ? NO_RESULTS
      : toTable(
          headings,
          rows.map((row) => row.map(toPrintable)),
        ),
})

const STATISTICS = ['COUNT', 'PER SECOND', 'ERRORS', 'ERROR RATE', 'P50 MS', 'P95 MS', 'P99 MS']
const statisticsCells = ({ count, rate, errors, errorRate, p50, p95, p99 }: RequestStatistics): string[] => [
  ...[String(count), rate.toFixed(2), String(errors), `${(100 * errorRate).toFixed(2)} %`],
  ...[p50, p95, p99].map(toMsText),
]

const labelsText = (all: Readonly<Record<string, string>>): string =>
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
      return { value: { services }, text: services.length === 0 ? NO_RESULTS : services.join('\n') }
    },
  },
  graph: {
    options: TIMES,
    async query({ query }, { range }) {
      const edges = await query.graph(range)
      const rows = edges.map((edge) => [edge.from, edge.to, ...statisticsCells(edge)])
      return tableResult({ edges }, ['FROM', 'TO', ...STATISTICS], rows)
    },
  },
  endpoints: {
    options: SIGNALS,
    async query({ query }, filter) {
      const endpoints = await query.endpoints(filter)
      const rows = endpoints.map((endpoint) => [
        endpoint.service,
        endpoint.endpoint,
        ...statisticsCells(endpoint),
      ])
      return tableResult({ endpoints }, ['SERVICE', 'ENDPOINT', ...STATISTICS], rows)
    },
  },
  journeys: {
    options: TIMES,
    async query({ query }, { range }) {
      const journeys = await query.journeys(range)
      return tableResult(
        { journeys },
        ['JOURNEY', ...STATISTICS],
        journeys.map((journey) => [journey.journey, ...statisticsCells(journey)]),
      )
    },
  },
  logs: {
    options: [...SIGNALS, 'severity', 'contains', 'pod'],
    async query({ query }, filter) {
      const lines = await query.logs(filter)
      const text = lines.map(
        (line) => `${toIsoTime(line.time)} ${line.pod} ${line.severity.padEnd(5)} ${toPrintable(line.text)}`,
      )
      return { value: { logs: lines }, text: text.length === 0 ? NO_RESULTS : text.join('\n') }
    },
  },
  traces: {
    options: [...SIGNALS, 'failed', 'slower'],
    async query({ query }, { limit = 100, ...filter }) {
      const found = await query.spans({ ...filter, limit: limit * SPANS_PER_TRACE })
      const ids = [...new Set(found.map(({ traceId }) => traceId))].slice(-limit)
      // The filter may match only some spans of a trace.
      const complete = await Promise.all(ids.map((id) => query.trace(id)))
      // A trace may have been evicted in the meantime.
      const traces = complete.filter(({ length }) => length > 0).map(summaryOf)
      return tableResult(
        { traces },
        ['TRACE', 'START', 'SERVICE', 'OPERATION', 'MS', 'SPANS', 'STATUS'],
        traces.map(({ traceId, start, service, operation, durationMs, spans, status }) => [
          ...[traceId, toIsoTime(start), service, operation, toMsText(durationMs), String(spans), status],
        ]),
      )
    },
  },
  trace: {
    options: [],
    argument: 'ID',
    async query({ query }, _filter, traceId) {
      const spans = await query.trace(traceId)
      if (spans.length === 0) throw new RemediumError('bad-argument', `There is no trace "${traceId}".`)
      return { value: { spans }, text: toTraceText(spans) }
    },
  },
  errors: {
    options: SIGNALS,
    async query({ query }, filter) {
      const errors = await query.errorSamples(filter)
      return tableResult(
        { errors },
        ['COUNT', 'LAST', 'SERVICE', 'OPERATION', 'TRACE', 'MESSAGE'],
        errors.map(({ count, last, span }) => [
          ...[String(count), toIsoTime(last), span.service, span.name, span.traceId, span.message ?? '-'],
        ]),
      )
    },
  },
  metrics: {
    options: SIGNALS,
    optionsWithoutArgument: TIMES,
    argument: '[NAME]',
    async query({ query }, filter, name) {
      if (name === '') {
        const names = await query.metricNames(filter.range)
        return { value: { names }, text: names.length === 0 ? NO_RESULTS : names.join('\n') }
      }
      const samples = await query.metric(name, filter)
      const rows = samples.map((sample) => [
        toIsoTime(sample.time),
        String(sample.value),
        labelsText(sample.labels),
      ])
      return tableResult({ samples }, ['TIME', 'VALUE', 'LABELS'], rows)
    },
  },
  events: {
    options: SIGNALS,
    async query({ query }, filter) {
      const events = await query.events(filter)
      return tableResult(
        { events },
        ['TIME', 'TYPE', 'REASON', 'OBJECT', 'COUNT', 'MESSAGE'],
        events.map(({ time, type, reason, object, count, message }) => [
          ...[toIsoTime(time), type, reason, object, String(count), message],
        ]),
      )
    },
  },
  alerts: {
    options: TIMES,
    async query({ query }, { range }) {
      const alerts = await query.alerts(defined({ range }))
      return tableResult(
        { alerts },
        ['RAISED', 'CLEARED', 'SEVERITY', 'ALERT', 'LABELS', 'SUMMARY'],
        alerts.map((alert) => [
          ...[
            toIsoTime(alert.raised),
            alert.cleared === undefined ? 'active' : toIsoTime(alert.cleared),
            alert.severity,
          ],
          ...[alert.name, labelsText(alert.labels), alert.summary],
        ]),
      )
    },
  },
  sql: {
    options: [],
    argument: '"SELECT ..."',
    async query({ sql }, _filter, text) {
      const answer = await sql(text)
      const rows = answer.rows.map((row) => answer.columns.map((column) => String(row[column] ?? '-')))
      const result = tableResult(answer, answer.columns, rows)
      return answer.truncated ? { ...result, text: `${result.text}\n(more rows omitted)` } : result
    },
  },
}
