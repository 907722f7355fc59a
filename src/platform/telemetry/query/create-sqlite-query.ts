/** Implements the port TelemetryQuery over a telemetry file. */
import type { TelemetryQuery } from '#spec'
import { createExtentQueries } from './sqlite/extent-queries.ts'
import type { QueryRows } from './sqlite/query-rows.ts'
import { createSignalQueries } from './sqlite/signal-queries.ts'
import { createSpanQueries } from './sqlite/span-queries.ts'
import { createStatisticsQueries } from './sqlite/statistics-queries.ts'

export const createSqliteQuery = (query: QueryRows): TelemetryQuery => ({
  ...createExtentQueries(query),
  ...createSpanQueries(query),
  ...createStatisticsQueries(query),
  ...createSignalQueries(query),
})
