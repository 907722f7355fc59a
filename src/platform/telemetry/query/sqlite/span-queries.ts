/** Queries for spans and traces. */
import type { TelemetryQuery } from '#spec'
import { between, oneOf, whereClause } from '../conditions.ts'
import { toSpan } from '../from-rows.ts'
import { DEFAULT_LIMIT, type QueryRows, queryNewest } from './query-rows.ts'

/** Far more than real traces have. An agent with a shell in a pod can forge any number of spans. */
const MAX_TRACE_SPANS = 2000

export const createSpanQueries = (
  query: QueryRows,
): Pick<TelemetryQuery, 'spans' | 'trace' | 'errorSamples'> => ({
  async spans(filter = {}) {
    const { services, errors, slowerThanMs, operation } = filter
    const rows = await queryNewest(
      query,
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
    const rows = await query('SELECT * FROM spans WHERE trace_id = ? ORDER BY start, id LIMIT ?', [
      traceId,
      MAX_TRACE_SPANS,
    ])
    return rows.map(toSpan)
  },
  async errorSamples({ range, services, limit = DEFAULT_LIMIT } = {}) {
    const { sql, parameters } = whereClause(
      [`status = 'error'`],
      between('start', range),
      oneOf('service', services),
    )
    // SQLite takes the other columns from the row with the maximum.
    const rows = await query(
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
})
