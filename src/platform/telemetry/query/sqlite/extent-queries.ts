/** Queries for the extent of the telemetry and for its services. */
import type { TelemetryQuery, TimeRange } from '#spec'
import type { QueryRows } from './query-rows.ts'

/** Selects the minimum and maximum time over all tables; each is read from an index. */
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

/** Selects the distinct services of a table. Skips from one to the next in the index instead of scanning all rows. */
const distinctServices = (table: string, condition: string): string =>
  `SELECT service FROM (
     WITH RECURSIVE found (service) AS (
       SELECT min(service) FROM ${table} UNION ALL
       SELECT (SELECT min(service) FROM ${table} WHERE service > found.service)
         FROM found WHERE found.service IS NOT NULL)
     SELECT service FROM found WHERE service IS NOT NULL)
   AS candidate WHERE EXISTS (SELECT 1 FROM ${table} AS signal WHERE signal.service = candidate.service ${condition})`

export const queryExtent = async (query: QueryRows): Promise<TimeRange | undefined> => {
  const [row] = await query(EXTENT, [])
  return typeof row?.first === 'number' && typeof row.last === 'number'
    ? { from: row.first, to: row.last + 1 }
    : undefined
}

export const createServicesQuery = (query: QueryRows): Pick<TelemetryQuery, 'services'> => ({
  async services(range) {
    const bounds = range === undefined ? [] : [range.from, range.to]
    const timeCondition = (time: string): string =>
      range === undefined ? '' : `AND ${time} >= ? AND ${time} < ?`
    const rows = await query(
      `${distinctServices('spans', timeCondition('signal.start'))}
         UNION ${distinctServices('logs', timeCondition('signal.time'))}
         UNION SELECT service FROM series WHERE service IS NOT NULL
           AND EXISTS (SELECT 1 FROM samples WHERE samples.series = series.id ${timeCondition('time')})
         UNION SELECT service FROM events WHERE service IS NOT NULL ${timeCondition('time')} ORDER BY service`,
      [...bounds, ...bounds, ...bounds, ...bounds],
    )
    return rows.map(({ service }) => String(service))
  },
})
