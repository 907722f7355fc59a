/** Queries for logs, metrics, events and alerts. */
import type { TelemetryQuery } from '#spec'
import { between, type Condition, oneOf, whereClause } from '../conditions.ts'
import { toAlert, toEvent, toLogLine, toSample } from '../from-rows.ts'
import { type QueryRows, queryNewest } from './query-rows.ts'

/** In ascending order. */
const SEVERITIES = ['debug', 'info', 'warn', 'error']

export const createSignalQueries = (
  query: QueryRows,
): Pick<TelemetryQuery, 'logs' | 'metricNames' | 'metric' | 'events' | 'alerts'> => ({
  async logs(filter = {}) {
    const { services, severity, contains, pod } = filter
    const severities = severity === undefined ? undefined : SEVERITIES.slice(SEVERITIES.indexOf(severity))
    const rows = await queryNewest(
      query,
      { from: 'logs', time: 'time' },
      filter,
      oneOf('service', services),
      oneOf('severity', severities),
      contains === undefined ? undefined : ['instr(text, ?) > 0', contains],
      pod === undefined ? undefined : ['pod = ?', pod],
    )
    return rows.map(toLogLine)
  },
  async metricNames(range) {
    const { sql, parameters } = whereClause(['samples.series = series.id'], between('samples.time', range))
    const rows = await query(
      `SELECT DISTINCT name FROM series WHERE EXISTS (SELECT 1 FROM samples ${sql}) ORDER BY name`,
      parameters,
    )
    return rows.map(({ name }) => String(name))
  },
  async metric(name, filter = {}) {
    const rows = await queryNewest(
      query,
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
    const rows = await queryNewest(
      query,
      { from: 'events', time: 'time' },
      filter,
      oneOf('service', filter.services),
      filter.type === undefined ? undefined : ['type = ?', filter.type],
    )
    return rows.map(toEvent)
  },
  async alerts({ range, active } = {}) {
    const { sql, parameters } = whereClause(
      range === undefined
        ? undefined
        : ['raised < ? AND (cleared IS NULL OR cleared >= ?)', range.to, range.from],
      active === undefined ? undefined : [active ? 'cleared IS NULL' : 'cleared IS NOT NULL'],
    )
    const rows = await query(`SELECT * FROM alerts ${sql} ORDER BY raised, id`, parameters)
    return rows.map(toAlert)
  },
})
