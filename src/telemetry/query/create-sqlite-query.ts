/** The port TelemetryQuery over a telemetry file. */
import type { SignalFilter, TelemetryQuery, TimeRange } from '../../spec/index.ts'
import { between, type Condition, oneOf, where } from './conditions.ts'
import {
  rowStatistics,
  statisticsColumns,
  toAlert,
  toEvent,
  toLogLine,
  toSample,
  toSpan,
} from './from-rows.ts'
import type { SqlParameter, SqlRow } from './sql-request.ts'

export type AskRows = (sql: string, parameters: readonly SqlParameter[]) => Promise<readonly SqlRow[]>

const DEFAULT_LIMIT = 100
/** Whoever has a shell in a pod can make up as many peers, endpoints and spans of a trace as he likes; no system has so many. */
const MOST_EDGES = 1000
const MOST_ENDPOINTS = 10_000
const MOST_OF_A_TRACE = 2000
const SEVERITIES = ['debug', 'info', 'warn', 'error']
const OF_ENDPOINTS = `kind IN ('server', 'consumer')`
const OF_CALLS = `kind IN ('client', 'producer') AND peer IS NOT NULL`

/** The first and the last time in each table; indices know both. */
const EXTENT = `SELECT min(first) AS first, max(last) AS last FROM (${[
  ['spans', 'start'],
  ['logs', 'time'],
  ['samples', 'time'],
  ['events', 'time'],
  ['alerts', 'raised'],
  ['requests', 'started'],
  ['journeys', 'started'],
]
  .map(
    ([table, column]) =>
      `SELECT (SELECT min(${column}) FROM ${table}) AS first, (SELECT max(${column}) FROM ${table}) AS last`,
  )
  .join(' UNION ALL ')})`

/** The services in a table with an index on them: from one to the next, not over all rows. */
const distinctServices = (table: string, condition: string): string =>
  `SELECT service FROM (
     WITH RECURSIVE found (service) AS (
       SELECT min(service) FROM ${table} UNION ALL
       SELECT (SELECT min(service) FROM ${table} WHERE service > found.service)
         FROM found WHERE found.service IS NOT NULL)
     SELECT service FROM found WHERE service IS NOT NULL)
   AS candidate WHERE EXISTS (SELECT 1 FROM ${table} AS own WHERE own.service = candidate.service ${condition})`

/** The newest so many, in the order of time. */
const newest = (columns: string, from: string, time: string): string =>
  `SELECT * FROM (SELECT ${columns} FROM ${from} ORDER BY ${time} DESC, id DESC LIMIT ?) ORDER BY ${time}, id`

export const createSqliteQuery = (ask: AskRows): TelemetryQuery => {
  const extent = async (): Promise<TimeRange | undefined> => {
    const [row] = await ask(EXTENT, [])
    return typeof row?.first === 'number' && typeof row.last === 'number'
      ? { from: row.first, to: row.last + 1 }
      : undefined
  }
  const recent = async (
    { from, time, columns = '*' }: { from: string; time: string; columns?: string },
    { range, limit = DEFAULT_LIMIT }: SignalFilter,
    ...conditions: readonly Condition[]
  ): Promise<readonly SqlRow[]> => {
    const { sql, parameters } = where(between(time, range), ...conditions)
    return await ask(newest(columns, `${from} ${sql}`, time), [...parameters, limit])
  }

  return {
    extent,
    async services(range) {
      const bounds = range === undefined ? [] : [range.from, range.to]
      const within = (time: string): string => (range === undefined ? '' : `AND ${time} >= ? AND ${time} < ?`)
      const rows = await ask(
        `${distinctServices('spans', within('own.start'))}
         UNION ${distinctServices('logs', within('own.time'))}
         UNION SELECT service FROM series WHERE service IS NOT NULL
           AND EXISTS (SELECT 1 FROM samples WHERE samples.series = series.id ${within('time')})
         UNION SELECT service FROM events WHERE service IS NOT NULL ${within('time')} ORDER BY service`,
        [...bounds, ...bounds, ...bounds, ...bounds],
      )
      return rows.map(({ service }) => String(service))
    },
    async logs(filter = {}) {
      const { services, severity, contains, pod } = filter
      const severities = severity === undefined ? undefined : SEVERITIES.slice(SEVERITIES.indexOf(severity))
      const rows = await recent(
        { from: 'logs', time: 'time' },
        filter,
        oneOf('service', services),
        oneOf('severity', severities),
        contains === undefined ? undefined : ['instr(text, ?) > 0', contains],
        pod === undefined ? undefined : ['pod = ?', pod],
      )
      return rows.map(toLogLine)
    },
    async spans(filter = {}) {
      const { services, errors, slowerThanMs, operation } = filter
      const rows = await recent(
        { from: 'spans', time: 'start' },
        filter,
        oneOf('service', services),
        errors === undefined ? undefined : [errors ? `status = 'error'` : `status = 'ok'`],
        slowerThanMs === undefined ? undefined : ['duration_ms > ?', slowerThanMs],
        operation === undefined ? undefined : ['name = ?', operation],
      )
      return rows.map(toSpan)
    },
    async trace(traceId) {
      const rows = await ask('SELECT * FROM spans WHERE trace_id = ? ORDER BY start, id LIMIT ?', [
        traceId,
        MOST_OF_A_TRACE,
      ])
      return rows.map(toSpan)
    },
    async errorSamples({ range, services, limit = DEFAULT_LIMIT } = {}) {
      const { sql, parameters } = where(
        [`status = 'error'`],
        between('start', range),
        oneOf('service', services),
      )
      // SQLite gives the other columns of the row that holds the maximum.
      const rows = await ask(
        `SELECT count(*) AS occurrences, max(start) AS last, * FROM spans ${sql}
         GROUP BY service, name, message ORDER BY occurrences DESC, last DESC LIMIT ?`,
        [...parameters, limit],
      )
      return rows.map((row) => ({
        count: Number(row.occurrences),
        last: Number(row.last),
        span: toSpan(row),
      }))
    },
    async endpoints({ range, services, limit } = {}) {
      const { sql, parameters } = where([OF_ENDPOINTS], between('start', range), oneOf('service', services))
      const rows = await ask(
        `SELECT service, name AS endpoint, ${statisticsColumns('duration_ms', `status = 'error'`)}
         FROM spans ${sql} GROUP BY service, name ORDER BY service, name LIMIT ?`,
        [...parameters, limit ?? MOST_ENDPOINTS],
      )
      const over = range ?? (await extent())
      return rows.map((row) => ({
        service: String(row.service),
        endpoint: String(row.endpoint),
        ...rowStatistics(row, over),
      }))
    },
    async graph(range) {
      const { sql, parameters } = where([OF_CALLS], between('start', range))
      const consumed = where([`kind = 'consumer'`], between('start', range))
      const columns = statisticsColumns('duration_ms', `status = 'error'`)
      // Ids need not be unique: of spans that have the parent's the first counts. Of too many edges those that fail stay.
      const rows = await ask(
        `SELECT * FROM (
           SELECT service AS caller, peer AS callee, ${columns} FROM spans ${sql} GROUP BY service, peer
           UNION ALL
           SELECT caller, callee, ${columns} FROM (
             SELECT (SELECT parent.service FROM spans AS parent
                 WHERE parent.trace_id = child.trace_id AND parent.span_id = child.parent_id LIMIT 1) AS caller,
               service AS callee, duration_ms, status FROM spans AS child ${consumed.sql})
             WHERE caller IS NOT NULL GROUP BY caller, callee
           ORDER BY errors DESC, count DESC LIMIT ${MOST_EDGES})
         ORDER BY caller, callee`,
        [...parameters, ...consumed.parameters],
      )
      const over = range ?? (await extent())
      return rows.map((row) => ({
        from: String(row.caller),
        to: String(row.callee),
        ...rowStatistics(row, over),
      }))
    },
    async journeys(range) {
      const { sql, parameters } = where(between('started', range))
      const rows = await ask(
        `SELECT journey, ${statisticsColumns('latency_ms', 'ok = 0')} FROM journeys ${sql}
         GROUP BY journey ORDER BY journey`,
        parameters,
      )
      const over = range ?? (await extent())
      return rows.map((row) => ({ journey: String(row.journey), ...rowStatistics(row, over) }))
    },
    async metricNames(range) {
      const { sql, parameters } = where(['samples.series = series.id'], between('samples.time', range))
      const rows = await ask(
        `SELECT DISTINCT name FROM series WHERE EXISTS (SELECT 1 FROM samples ${sql}) ORDER BY name`,
        parameters,
      )
      return rows.map(({ name }) => String(name))
    },
    async metric(name, filter = {}) {
      const rows = await recent(
        {
          from: 'samples JOIN series ON series.id = samples.series',
          time: 'time',
          columns: 'samples.id AS id, time, name, labels_json, value',
        },
        filter,
        ['name = ?', name],
        oneOf('service', filter.services),
        ...Object.entries(filter.labels ?? {}).map(
          ([label, value]): Condition => ['labels_json ->> ? = ?', `$.${JSON.stringify(label)}`, value],
        ),
      )
      return rows.map(toSample)
    },
    async events(filter = {}) {
      const rows = await recent(
        { from: 'events', time: 'time' },
        filter,
        oneOf('service', filter.services),
        filter.type === undefined ? undefined : ['type = ?', filter.type],
      )
      return rows.map(toEvent)
    },
    async alerts({ range, active } = {}) {
      const { sql, parameters } = where(
        range === undefined
          ? undefined
          : ['raised < ? AND (cleared IS NULL OR cleared >= ?)', range.to, range.from],
        active === undefined ? undefined : [active ? 'cleared IS NULL' : 'cleared IS NOT NULL'],
      )
      const rows = await ask(`SELECT * FROM alerts ${sql} ORDER BY raised, id`, parameters)
      return rows.map(toAlert)
    },
  }
}
