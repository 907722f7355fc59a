/** Executes SQL for agents: views hide signals before a given time and everything about the laboratory. */
import { DatabaseSync } from 'node:sqlite'
import { LABORATORY_KIND_SUFFIX, type SqlAnswer } from '#spec'
import { BUSY_TIMEOUT_MS } from './open-database.ts'
import { createSqlExecutor, type SqlExecutorOptions } from './sql-executor.ts'
import type { SqlRequest } from './sql-request.ts'

/**
 * The visible rows of each table. `SINCE` and `FILE` are placeholders for the time and the attached database.
 */
const VISIBLE_ROWS: Readonly<Record<string, string>> = {
  spans: 'start >= SINCE',
  logs: 'time >= SINCE',
  samples: 'time >= SINCE',
  series:
    'EXISTS (SELECT 1 FROM FILE.samples AS sample WHERE sample.series = FILE.series.id AND sample.time >= SINCE)',
  events: `time >= SINCE AND object NOT GLOB '*${LABORATORY_KIND_SUFFIX}/*'`,
  alerts: 'raised >= SINCE',
  requests: 'started >= SINCE',
  journeys: 'started >= SINCE',
  epochs: 'FALSE',
  losses: 'FALSE',
}

const NAME = /^[a-z_]+$/

/** The name of the attached database; queries do not need it. */
const FILE = 'whole_file'

/**
 * Names that bypass the views, anywhere in the text. SQL names are always literal, so no tokenizer is needed.
 * `dbstat` is hidden because it takes the name of a database as a value, which can be computed.
 */
const HIDDEN_NAMES = new RegExp(`${FILE}|sqlite_(temp_)?(schema|master)|dbstat`, 'i')

const checkNames = (sql: string): void => {
  if (HIDDEN_NAMES.test(sql))
    throw new Error('use bare table names; PRAGMA table_info(logs) lists the columns of a table')
}

export interface ScopedSqlExecutorOptions extends SqlExecutorOptions {
  /** A further condition on the rows of every table. */
  readonly rowCondition?: string
}

/** Creates a view over each table, and recreates the views of the file on top of them. */
const createViews = (database: DatabaseSync, since: number, rowCondition: string): void => {
  const statement = database.prepare(
    `SELECT name, type, sql FROM ${FILE}.sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  )
  const objects = statement.all() as { name: string; type: string; sql: string }[]
  for (const { name } of objects.filter(({ type }) => type === 'table' || type === 'view'))
    if (NAME.test(name)) database.exec(`DROP VIEW IF EXISTS temp.${name}`)
  for (const { name, type } of objects)
    if (type === 'table') {
      const visibleRows = (VISIBLE_ROWS[name] ?? 'FALSE')
        .replaceAll('SINCE', String(since))
        .replaceAll('FILE', FILE)
      database.exec(
        `CREATE TEMP VIEW ${name} AS SELECT * FROM ${FILE}.${name} WHERE ${visibleRows} AND ${rowCondition}`,
      )
    }
  for (const { type, sql } of objects)
    if (type === 'view') database.exec(sql.replace(/^CREATE VIEW/i, 'CREATE TEMP VIEW'))
}

/** Opens a valid telemetry file for scoped queries: `main` is an empty database, and the file has another name. */
export const openBehindViews = (file: string): DatabaseSync => {
  const database = new DatabaseSync(':memory:', { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  database.prepare(`ATTACH ? AS ${FILE}`).run(file)
  return database
}

/** Expects a database from `openBehindViews`. */
export const createScopedSqlExecutor = (
  database: DatabaseSync,
  { rowCondition = 'TRUE', ...options }: ScopedSqlExecutorOptions = {},
): ((request: SqlRequest, since: number) => SqlAnswer) => {
  let currentSince: number | undefined
  let execute: ReturnType<typeof createSqlExecutor> | undefined
  return (request, since) => {
    if (!Number.isFinite(since))
      throw new Error(`the start of the visible time range must be a number, not ${since}`)
    checkNames(request.sql)
    if (since !== currentSince) {
      // Reset first: if a view cannot be created, its name would refer to the unrestricted table.
      currentSince = undefined
      database.setAuthorizer(null)
      // Set before the views are created: changing temp_store removes them.
      database.exec('PRAGMA query_only = FALSE; PRAGMA temp_store = MEMORY')
      createViews(database, since, rowCondition)
      currentSince = since
      execute = createSqlExecutor(database, options)
    }
    return execute!(request)
  }
}
