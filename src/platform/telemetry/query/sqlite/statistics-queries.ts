/** Queries that aggregate requests: by endpoint, by edge and by journey. */
import type { TelemetryQuery, TimeRange } from '#spec'
import { between, oneOf, whereClause } from '../conditions.ts'
import { rowStatistics, statisticsColumns } from '../from-rows.ts'
import type { QueryRows } from './query-rows.ts'

/** Far more than real systems have. An agent with a shell in a pod can forge any number of peers and endpoints. */
export const MAX_EDGES = 1000
const MAX_ENDPOINTS = 10_000
const SERVED = `kind IN ('server', 'consumer')`
const CALLED = `kind IN ('client', 'producer') AND peer IS NOT NULL`
const SPAN_STATISTICS = statisticsColumns('duration_ms', `status = 'error'`)

/**
 * Selects the edges of the service graph. A client or producer span is an edge from its service to its peer. A consumer
 * span is an edge from the service of its parent span to its own service. Above the limit, the edges with the most
 * errors are kept.
 */
const edgesSql = (called: string, consumed: string): string =>
  `SELECT * FROM (
     SELECT service AS caller, peer AS callee, ${SPAN_STATISTICS} FROM spans ${called} GROUP BY service, peer
     UNION ALL
     SELECT caller, callee, ${SPAN_STATISTICS} FROM (
       -- Span ids need not be unique: the first span with the id of the parent counts.
       SELECT (SELECT parent.service FROM spans AS parent
           WHERE parent.trace_id = child.trace_id AND parent.span_id = child.parent_id LIMIT 1) AS caller,
         service AS callee, duration_ms, status FROM spans AS child ${consumed})
       WHERE caller IS NOT NULL GROUP BY caller, callee
     ORDER BY errors DESC, count DESC, caller, callee LIMIT ${MAX_EDGES})
   ORDER BY caller, callee, errors DESC, count DESC`

export const createStatisticsQueries = (
  query: QueryRows,
  extent: TelemetryQuery['extent'],
): Pick<TelemetryQuery, 'endpoints' | 'graph' | 'journeys'> => {
  const extentOf = async (range: TimeRange | undefined) => range ?? (await extent())
  return {
    async endpoints({ range, services, limit } = {}) {
      const { sql, parameters } = whereClause([SERVED], between('start', range), oneOf('service', services))
      const rows = await query(
        `SELECT service, name AS endpoint, ${SPAN_STATISTICS}
         FROM spans ${sql} GROUP BY service, name ORDER BY service, name LIMIT ?`,
        [...parameters, limit ?? MAX_ENDPOINTS],
      )
      const window = await extentOf(range)
      return rows.map((row) => ({
        service: String(row.service),
        endpoint: String(row.endpoint),
        ...rowStatistics(row, window),
      }))
    },
    async graph(range) {
      const called = whereClause([CALLED], between('start', range))
      const consumed = whereClause([`kind = 'consumer'`], between('start', range))
      const rows = await query(edgesSql(called.sql, consumed.sql), [
        ...called.parameters,
        ...consumed.parameters,
      ])
      const window = await extentOf(range)
      return rows.map((row) => ({
        from: String(row.caller),
        to: String(row.callee),
        ...rowStatistics(row, window),
      }))
    },
    async journeys(range) {
      const { sql, parameters } = whereClause(between('started', range))
      const rows = await query(
        `SELECT journey, ${statisticsColumns('latency_ms', 'ok = 0')} FROM journeys ${sql}
         GROUP BY journey ORDER BY journey`,
        parameters,
      )
      const window = await extentOf(range)
      return rows.map((row) => ({ journey: String(row.journey), ...rowStatistics(row, window) }))
    },
  }
}
