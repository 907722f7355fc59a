/** The MySQL client of a twin. */
import { CallFailure, type StoreClient, type StoreClientOptions } from '../../ports/index.ts'
import { ConnectionPool } from '../connection-pool.ts'
import {
  isNumeric,
  type MysqlConnection,
  openMysqlConnection,
  type QueryResult,
  toFailure,
} from './mysql-connection.ts'
import { MysqlError } from './mysql-error.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\x1a': '\\Z',
}

/** A value as it stands in a statement; lists and maps are JSON. */
export const toLiteral = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  return `'${text.replace(/['\\\0\n\r\x1a]/g, (letter) => ESCAPES[letter]!)}'`
}

/** Puts the values where the question marks are, except for those in quotes. */
export const bind = (statement: string, parameters: readonly unknown[]): string => {
  let used = 0
  const bound = statement.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|\?/gs, (part) => {
    if (part !== '?') return part
    used += 1
    return toLiteral(parameters[used - 1])
  })
  if (used !== parameters.length)
    throw new CallFailure('answer', `the statement has ${used} places and gets ${parameters.length} values`)
  return bound
}

const toRows = ({ columns, rows }: QueryResult): Record<string, unknown>[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }, at) => {
        const cell = row[at] ?? null
        return [name, cell !== null && isNumeric(type) ? Number(cell) : cell]
      }),
    ),
  )

const run = async (connection: MysqlConnection, sql: string): Promise<unknown> => {
  try {
    const result = (await connection.query(sql)).at(-1)!
    return result.columns.length > 0 ? toRows(result) : { affected: result.affected, lastId: result.lastId }
  } catch (error) {
    throw error instanceof MysqlError ? toFailure(error) : error
  }
}

/** Rows as maps; of a change `{affected, lastId}`. */
export const createMysqlClient = (options: StoreClientOptions): StoreClient => {
  const pool = new ConnectionPool(options, () => openMysqlConnection(options))
  return {
    query: async ({ sql }, timeoutMs) => {
      if (sql === undefined) throw new CallFailure('answer', 'MySQL gets SQL only')
      const bound = bind(sql.statement, sql.parameters)
      return pool.use((connection) => run(connection, bound), timeoutMs)
    },
    close: () => pool.close(),
  }
}
