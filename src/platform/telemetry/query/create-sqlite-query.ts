/** Implements the port TelemetryQuery over a telemetry file. */
import type { TelemetryQuery } from '#spec'
import { createServicesQuery, queryExtent } from './sqlite/extent-queries.ts'
import type { QueryRows } from './sqlite/query-rows.ts'
import { createSignalQueries } from './sqlite/signal-queries.ts'
import { createSpanQueries } from './sqlite/span-queries.ts'
import { createStatisticsQueries } from './sqlite/statistics-queries.ts'

/** `extent` can be passed if the caller can determine it without a query. */
export const createSqliteQuery = (
  query: QueryRows,
  extent: TelemetryQuery['extent'] = () => queryExtent(query),
): TelemetryQuery => ({
  ...createServicesQuery(query),
  extent,
  ...createSpanQueries(query),
  ...createStatisticsQueries(query, extent),
  ...createSignalQueries(query),
})
