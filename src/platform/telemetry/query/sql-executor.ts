/** Executes read-only SQL on a telemetry file. */
import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SqlAnswer } from '#spec'
import type { SqlRequest, SqlRow, SqlValue } from './sql-request.ts'

const MAX_BYTES = 32 * 2 ** 20

const READ_ACTIONS = new Set([constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_FUNCTION])
/** Pragmas that only report. */
const READ_ONLY_PRAGMAS = new Set(['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info'])

const isReadOnly = (action: number, name: string | null): boolean =>
  READ_ACTIONS.has(action) || (action === constants.SQLITE_PRAGMA && READ_ONLY_PRAGMAS.has(name ?? ''))

export interface SqlExecutorOptions {
  /** Whether users' queries may be recursive, and thus endless; true by default. */
  readonly allowsRecursion?: boolean
}

const toValue = (value: unknown): SqlValue => {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value as SqlValue)
}

const bytesOf = (row: SqlRow): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** Throws if the text has a second statement, which SQLite would silently ignore. */
const checkSingleStatement = (sql: string, statement: StatementSync): void => {
  const rest = sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length)
  if (/[^\s;]/.test(rest.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '')))
    throw new Error('only one statement is allowed')
}

/** Expects a database that was opened read-only. */
export const createSqlExecutor = (
  database: DatabaseSync,
  { allowsRecursion = true }: SqlExecutorOptions = {},
) => {
  let isGuarded = false
  const isAllowed = (action: number, name: string | null): boolean =>
    isReadOnly(action, name) || (action === constants.SQLITE_RECURSIVE && allowsRecursion)
  // Temporary data stays in memory, because this process has a memory limit but no disk limit.
  database.exec('PRAGMA query_only = TRUE; PRAGMA temp_store = MEMORY')
  database.setAuthorizer((action, name) =>
    !isGuarded || isAllowed(action, name) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  )

  return (request: SqlRequest): SqlAnswer => {
    // Set for the whole request: the authorizer is also called when SQLite recompiles a running statement.
    isGuarded = request.isGuarded
    const statement = database.prepare(request.sql)
    if (request.isGuarded) checkSingleStatement(request.sql, statement)
    statement.setReadBigInts(true)
    const rows: SqlRow[] = []
    let bytes = 0
    let truncated = false
    for (const rawRow of statement.iterate(...request.parameters)) {
      const row = Object.fromEntries(Object.entries(rawRow).map(([key, value]) => [key, toValue(value)]))
      bytes += bytesOf(row)
      truncated = rows.length === request.maxRows || (bytes > MAX_BYTES && request.isGuarded)
      if (truncated) break
      rows.push(row)
    }
    return { columns: statement.columns().map(({ name }) => name), rows, truncated }
  }
}
