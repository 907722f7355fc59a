/** Answers SQL over a telemetry file, and lets nothing be done with it but reading. */
import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SqlAnswer } from '../../spec/index.ts'
import type { SqlRequest, SqlRow, SqlValue } from './sql-request.ts'

const MOST_BYTES = 32 * 2 ** 20

const READING = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
])
/** Those that tell something and set nothing. */
const HARMLESS_PRAGMAS = new Set(['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info'])

const isHarmless = (action: number, name: string | null): boolean =>
  READING.has(action) || (action === constants.SQLITE_PRAGMA && HARMLESS_PRAGMAS.has(name ?? ''))

const toValue = (value: unknown): SqlValue => {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value as SqlValue)
}

const bytesOf = (row: SqlRow): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** What stands after the first statement is not looked at by SQLite, which nobody would expect. */
const checkSingle = (sql: string, statement: StatementSync): void => {
  const rest = sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length)
  if (/[^\s;]/.test(rest.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '')))
    throw new Error('one statement at a time')
}

/** For a database that was opened to be read only. */
export const createSqlAnswers = (database: DatabaseSync) => {
  let guarded = false
  // What it sorts and joins stays in memory, which is bounded for this process; the disk is not.
  database.exec('PRAGMA query_only = TRUE; PRAGMA temp_store = MEMORY')
  database.setAuthorizer((action, name) =>
    !guarded || isHarmless(action, name) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  )

  return (request: SqlRequest): SqlAnswer => {
    // Also what is compiled anew while a statement runs is asked about.
    guarded = request.guarded
    const statement = database.prepare(request.sql)
    if (request.guarded) checkSingle(request.sql, statement)
    statement.setReadBigInts(true)
    const rows: SqlRow[] = []
    let bytes = 0
    let truncated = false
    for (const found of statement.iterate(...request.parameters)) {
      const row = Object.fromEntries(Object.entries(found).map(([key, value]) => [key, toValue(value)]))
      bytes += bytesOf(row)
      truncated = rows.length === request.mostRows || (bytes > MOST_BYTES && request.guarded)
      if (truncated) break
      rows.push(row)
    }
    return { columns: statement.columns().map(({ name }) => name), rows, truncated }
  }
}
