/** SQL for those who are to know of nothing before a time, nor of the laboratory: every table is hidden behind a view. */
import type { DatabaseSync } from 'node:sqlite'
import type { SqlAnswer } from '../../spec/index.ts'
import { createSqlAnswers } from './answer-sql.ts'
import type { SqlRequest } from './sql-request.ts'

/** Which rows of each table there are for them; `SINCE` is the time. */
const SHOWN: Readonly<Record<string, string>> = {
  spans: 'start >= SINCE',
  logs: 'time >= SINCE',
  samples: 'time >= SINCE',
  series:
    'EXISTS (SELECT 1 FROM main.samples AS own WHERE own.series = main.series.id AND own.time >= SINCE)',
  events: `time >= SINCE AND object NOT GLOB '*Chaos/*'`,
  alerts: 'raised >= SINCE',
  requests: 'started >= SINCE',
  journeys: 'started >= SINCE',
  epochs: 'FALSE',
  losses: 'FALSE',
}

const NAME = /^[a-z_]+$/

/** Strings, names in quotes and comments as one token each; names and points by themselves. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\w+|\S/g

const isComment = (token: string): boolean => token.startsWith('--') || token.startsWith('/*')

/** Names of the views are found before those of the tables, unless somebody says where he means. */
const checkUnqualified = (sql: string): void => {
  const tokens = (sql.match(TOKENS) ?? []).filter((token) => !isComment(token))
  const [hidden] = tokens.filter((token) => /^['"`[]?sqlite_(temp_)?(schema|master)['"`\]]?$/i.test(token))
  if (hidden !== undefined) throw new Error('PRAGMA table_info(logs) tells the columns of a table')
  const isMain = (token: string): boolean => /^['"`[]?main['"`\]]?$/i.test(token)
  if (tokens.some((token, index) => isMain(token) && tokens[index + 1] === '.'))
    throw new Error('name tables without "main."')
}

/** The views of the file are made again, over the hidden tables. */
const shadow = (database: DatabaseSync, since: number): void => {
  const found = database.prepare(
    `SELECT name, type, sql FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  )
  const all = found.all() as { name: string; type: string; sql: string }[]
  for (const { name } of all.filter(({ type }) => type === 'table' || type === 'view'))
    if (NAME.test(name)) database.exec(`DROP VIEW IF EXISTS temp.${name}`)
  for (const { name, type } of all)
    if (type === 'table')
      database.exec(
        `CREATE TEMP VIEW ${name} AS SELECT * FROM main.${name} WHERE ${(SHOWN[name] ?? 'FALSE').replaceAll('SINCE', String(since))}`,
      )
  for (const { type, sql } of all)
    if (type === 'view') database.exec(sql.replace(/^CREATE VIEW/i, 'CREATE TEMP VIEW'))
}

/** For a database of its own that was opened to be read only. */
export const createScopedAnswers = (
  database: DatabaseSync,
): ((request: SqlRequest, since: number) => SqlAnswer) => {
  let current: number | undefined
  let answers: ReturnType<typeof createSqlAnswers> | undefined
  return (request, since) => {
    if (!Number.isFinite(since)) throw new Error('the time is none')
    checkUnqualified(request.sql)
    if (since !== current) {
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
