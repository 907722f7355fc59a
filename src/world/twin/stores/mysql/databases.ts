/** The databases of a MySQL server, each an in-memory SQLite database. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { MysqlError, unknownDatabase } from './mysql-error.ts'
import { quoteText } from './tokens.ts'

export type Cell = string | number | bigint | Uint8Array | null

export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string | null }[]
  readonly rows: readonly (readonly Cell[])[]
}

export interface Outcome {
  readonly affected: number
  readonly lastId: number
}

/** Rows per INSERT statement of a dump. */
const ROWS_PER_STATEMENT = 100

const pad = (number: number): string => String(number).padStart(2, '0')

const toDate = (ms: number): string => {
  const date = new Date(ms)
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
}

export const toDateTime = (ms: number): string => {
  const date = new Date(ms)
  return `${toDate(ms)} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
}

const toLiteral = (value: Cell): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return quoteText(value)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  // SQLite has no literal for infinity.
  if (Math.abs(Number(value)) === Number.POSITIVE_INFINITY) return value > 0 ? '9e999' : '-9e999'
  return String(value)
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

export class Databases {
  /** The time that statements use as now, in milliseconds since the epoch; 0 means the present time. */
  now = 0
  readonly #create: () => DatabaseSync
  readonly #databases = new Map<string, DatabaseSync>()
  /** A shared database without tables for queries such as `SELECT 1`, which probes send often. */
  #empty: DatabaseSync | undefined

  /** The caller passes `node:sqlite`, so that only servers load it. */
  constructor(sqlite: typeof import('node:sqlite'), clock: () => number) {
    const now = (): number => this.now || clock()
    this.#create = () => {
      const database = new sqlite.DatabaseSync(':memory:')
      database.function('mysql_now', () => toDateTime(now()))
      database.function('mysql_today', () => toDate(now()))
      database.function('mysql_unix_time', { varargs: true }, (text?: SQLInputValue) =>
        Math.floor((text === undefined ? now() : Date.parse(`${String(text)}Z`)) / 1_000),
      )
      database.function('regexp', (pattern, text) =>
        new RegExp(String(pattern), 'i').test(String(text)) ? 1 : 0,
      )
      database.function('left', (text, count) => String(text).slice(0, Number(count)))
      database.function('right', (text, count) =>
        Number(count) > 0 ? String(text).slice(-Number(count)) : '',
      )
      return database
    }
  }

  names(): string[] {
    return [...this.#databases.keys()].sort()
  }

  has(name: string): boolean {
    return this.#databases.has(name)
  }

  create(name: string): void {
    if (!this.#databases.has(name)) this.#databases.set(name, this.#create())
  }

  drop(name: string): void {
    this.#find(name).close()
    this.#databases.delete(name)
  }

  clear(): void {
    for (const name of this.names()) this.drop(name)
  }

  #find(name: string): DatabaseSync {
    const database = this.#databases.get(name)
    if (database === undefined) throw unknownDatabase(name)
    return database
  }

  /** Without a name, the statement runs in a database without tables. */
  read(name: string | undefined, sql: string): Rows {
    if (name === undefined) this.#empty ??= this.#create()
    return this.#readRows((name === undefined ? this.#empty! : this.#find(name)).prepare(sql))
  }

  #readRows(statement: StatementSync): Rows {
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name, type }) => ({ name, type }))
    return { columns, rows: statement.all() as unknown as Cell[][] }
  }

  write(name: string, sql: readonly string[]): Outcome {
    const database = this.#find(name)
    let outcome: Outcome = { affected: 0, lastId: 0 }
    for (const statement of sql) {
      const { changes, lastInsertRowid } = database.prepare(statement).run()
      outcome = {
        affected: Number(changes),
        lastId: /^(INSERT|REPLACE)/.test(statement) ? Number(lastInsertRowid) : 0,
      }
    }
    // For DDL, SQLite reports the changes of the previous statement.
    return /^(INSERT|REPLACE|UPDATE|DELETE)/i.test(sql.at(-1) ?? '') ? outcome : { affected: 0, lastId: 0 }
  }

  /** Runs a transaction statement such as `BEGIN` or `SAVEPOINT x`. */
  execute(name: string, sql: string): void {
    this.#databases.get(name)?.exec(sql)
  }

  tables(name: string): string[] {
    return this.read(
      name,
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
    ).rows.map(([table]) => String(table))
  }

  /** The statement that created a table, as SQLite stores it. */
  definition(name: string, table: string): string {
    const { rows } = this.read(
      name,
      `SELECT sql FROM sqlite_master WHERE name = ${toLiteral(table)} COLLATE NOCASE`,
    )
    if (rows[0] === undefined) throw new MysqlError(1146, '42S02', `Table '${name}.${table}' doesn't exist`)
    return String(rows[0][0])
  }

  /** Generates statements that recreate the database, a few at a time. */
  *dump(name: string): Iterable<readonly string[]> {
    const objects = this.read(
      name,
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, rowid",
    ).rows
    // Rows may reference rows of later tables.
    yield ['PRAGMA foreign_keys = OFF']
    for (const [type, table, sql] of objects) {
      yield [String(sql)]
      if (type === 'table') yield* this.#dumpRows(name, String(table))
    }
    yield ['PRAGMA foreign_keys = ON']
  }

  *#dumpRows(name: string, table: string): Iterable<readonly string[]> {
    const { rows } = this.read(name, `SELECT * FROM ${quote(table)}`)
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const values = rows.slice(at, at + ROWS_PER_STATEMENT).map((row) => `(${row.map(toLiteral).join(',')})`)
      yield [`INSERT INTO ${quote(table)} VALUES ${values.join(',')}`]
    }
  }
}
