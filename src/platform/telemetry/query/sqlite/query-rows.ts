/** Runs the SQL queries of the telemetry port. */
import type { SignalFilter } from '#spec'
import { between, type Condition, whereClause } from '../conditions.ts'
import type { SqlParameter, SqlRow } from '../sql-request.ts'

export type QueryRows = (sql: string, parameters: readonly SqlParameter[]) => Promise<readonly SqlRow[]>

export const DEFAULT_LIMIT = 100

/** Selects the newest rows, in order of time. */
const selectNewest = (columns: string, from: string, time: string): string =>
  `SELECT * FROM (SELECT ${columns} FROM ${from} ORDER BY ${time} DESC, id DESC LIMIT ?) ORDER BY ${time}, id`

/** Returns the newest rows that match the filter and the conditions, in order of time. */
export const queryNewest = async (
  query: QueryRows,
  { from, time, columns = '*' }: { from: string; time: string; columns?: string },
  { range, limit = DEFAULT_LIMIT }: SignalFilter,
  ...conditions: readonly Condition[]
): Promise<readonly SqlRow[]> => {
  const { sql, parameters } = whereClause(between(time, range), ...conditions)
  return await query(selectNewest(columns, `${from} ${sql}`, time), [...parameters, limit])
}
