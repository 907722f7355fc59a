/** Builds SQL conditions with parameters. */
import type { TimeRange } from '#spec'
import type { SqlParameter } from './sql-request.ts'

export interface Conditions {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
}

/** A condition with its parameters; undefined if it does not apply. */
export type Condition = readonly [string, ...SqlParameter[]] | undefined

export const between = (column: string, range: TimeRange | undefined): Condition =>
  range === undefined ? undefined : [`${column} >= ? AND ${column} < ?`, range.from, range.to]

export const oneOf = (column: string, values: readonly string[] | undefined): Condition =>
  values === undefined ? undefined : [`${column} IN (${values.map(() => '?').join(', ')})`, ...values]

/** Joins the conditions into a WHERE clause. */
export const whereClause = (...conditions: readonly Condition[]): Conditions => {
  const applicable = conditions.filter((condition) => condition !== undefined)
  return {
    sql: applicable.length === 0 ? '' : `WHERE ${applicable.map(([sql]) => sql).join(' AND ')}`,
    parameters: applicable.flatMap(([, ...values]) => values),
  }
}
