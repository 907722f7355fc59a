/** Conditions of a query as SQL, with the values apart. */
import type { TimeRange } from '../../spec/index.ts'
import type { SqlParameter } from './sql-request.ts'

export interface Conditions {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
}

/** A condition with its values; nothing where it does not apply. */
export type Condition = readonly [string, ...SqlParameter[]] | undefined

export const between = (column: string, range: TimeRange | undefined): Condition =>
  range === undefined ? undefined : [`${column} >= ? AND ${column} < ?`, range.from, range.to]

export const oneOf = (column: string, values: readonly string[] | undefined): Condition =>
  values === undefined ? undefined : [`${column} IN (${values.map(() => '?').join(', ')})`, ...values]

/** All of them, as a WHERE clause. */
export const where = (...conditions: readonly Condition[]): Conditions => {
  const held = conditions.filter((condition) => condition !== undefined)
  return {
    sql: held.length === 0 ? '' : `WHERE ${held.map(([sql]) => sql).join(' AND ')}`,
    parameters: held.flatMap(([, ...values]) => values),
  }
}
