/** SQL for those who are to know of nothing before a time, nor of the laboratory: every table is hidden behind a view. */
import { DatabaseSync } from 'node:sqlite'
import { LABORATORY_KIND_END, type SqlAnswer } from '../../spec/index.ts'
import { createSqlAnswers } from './answer-sql.ts'
import { BUSY_MS } from './open-database.ts'
import type { SqlRequest } from './sql-request.ts'

/** Which rows of each table there are for them; `SINCE` is the time, `FILE` is where the tables are. */
const SHOWN: Readonly<Record<string, string>> = {
  spans: 'start >= SINCE',
  logs: 'time >= SINCE',
  samples: 'time >= SINCE',
  series:
    'EXISTS (SELECT 1 FROM FILE.samples AS own WHERE own.series = FILE.series.id AND own.time >= SINCE)',
  events: `time >= SINCE AND object NOT GLOB '*${LABORATORY_KIND_END}/*'`,
  alerts: 'raised >= SINCE',
  requests: 'started >= SINCE',
  journeys: 'started >= SINCE',
  epochs: 'FALSE',
  losses: 'FALSE',
}

const NAME = /^[a-z_]+$/

/** What the file is called where it is asked, and which no question of anybody needs. */
const FILE = 'whole_file'

/**
 * Names that lead past the views, wherever they stand: SQL has no other way to write a name than with its letters, so that nobody
 * need know how SQLite takes a text apart. Values can be put together, and dbstat takes the name of a file as one.
 */
const HIDDEN = new RegExp(`${FILE}|sqlite_(temp_)?(schema|master)|dbstat`, 'i')

const checkNames = (sql: string): void => {
  if (HIDDEN.test(sql))
    throw new Error('tables have their bare names, and PRAGMA table_info(logs) tells the columns of one')
}

/** The views of the file are made again, over the hidden tables. */
const shadow = (database: DatabaseSync, since: number): void => {
  const found = database.prepare(
    `SELECT name, type, sql FROM ${FILE}.sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  )
  const all = found.all() as { name: string; type: string; sql: string }[]
  for (const { name } of all.filter(({ type }) => type === 'table' || type === 'view'))
    if (NAME.test(name)) database.exec(`DROP VIEW IF EXISTS temp.${name}`)
  for (const { name, type } of all)
    if (type === 'table') {
      const shown = (SHOWN[name] ?? 'FALSE').replaceAll('SINCE', String(since)).replaceAll('FILE', FILE)
      database.exec(`CREATE TEMP VIEW ${name} AS SELECT * FROM ${FILE}.${name} WHERE ${shown}`)
    }
  for (const { type, sql } of all)
    if (type === 'view') database.exec(sql.replace(/^CREATE VIEW/i, 'CREATE TEMP VIEW'))
}

/** The `main` that everybody can name is empty; what is attached is open to be read only, as that is. */
const openBehindViews = (file: string): DatabaseSync => {
  const database = new DatabaseSync(':memory:', { readOnly: true, timeout: BUSY_MS })
  database.prepare(`ATTACH ? AS ${FILE}`).run(file)
  return database
}

/** For a file that was found to be a telemetry file. */
export const createScopedAnswers = (file: string): ((request: SqlRequest, since: number) => SqlAnswer) => {
  const database = openBehindViews(file)
  let current: number | undefined
  let answers: ReturnType<typeof createSqlAnswers> | undefined
  return (request, since) => {
    if (!Number.isFinite(since))
      throw new Error(`the time from which signals are shown must be a number, and is ${since}`)
    checkNames(request.sql)
    if (since !== current) {
      // Where a view is missing, its name would be the table's.
      current = undefined
      database.setAuthorizer(null)
      // To change where temporary things are kept would remove the views.
      database.exec('PRAGMA query_only = FALSE; PRAGMA temp_store = MEMORY')
      shadow(database, since)
      current = since
      answers = createSqlAnswers(database)
    }
    return answers!(request)
  }
}
