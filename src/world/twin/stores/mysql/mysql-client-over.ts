/** The MySQL client of a twin, over any kind of connection. */
import { CallFailure, type StoreClient, type StoreClientOptions } from '#world/twin/ports'
import { ConnectionPool } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'
import { isNumeric, type MysqlConnection, type QueryResult, toFailure } from './mysql-connection.ts'
import { MysqlError } from './mysql-error.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\x1a': '\\Z',
}

/** Converts a value to a SQL literal; lists and maps become JSON. */
export const toLiteral = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes these characters
  return `'${text.replace(/['\\\0\n\r\x1a]/g, (character) => ESCAPES[character]!)}'`
}

/** Replaces the question marks outside quotes with the values. */
export const bindParameters = (statement: string, parameters: readonly unknown[]): string => {
  let parameterIndex = 0
  const bound = statement.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|\?/gs, (part) => {
    if (part !== '?') return part
    parameterIndex += 1
    return toLiteral(parameters[parameterIndex - 1])
  })
  if (parameterIndex !== parameters.length)
    throw new CallFailure(
      'answer',
      `the statement has ${parameterIndex} placeholders but ${parameters.length} values`,
    )
  return bound
}

const toRows = ({ columns, rows }: QueryResult): Record<string, unknown>[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }, index) => {
        const cell = row[index] ?? null
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

/** A query returns rows as maps; a change returns `{affected, lastId}`. */
export const createClientOver = (
  options: StoreClientOptions,
  { time }: Pick<StoreHost, 'time'>,
  open: () => Promise<MysqlConnection>,
): StoreClient => {
  const pool = new ConnectionPool(options, time, open)
  return {
    query: async ({ sql }, timeoutMs) => {
      if (sql === undefined) throw new CallFailure('answer', 'the MySQL client supports only SQL')
      const bound = bindParameters(sql.statement, sql.parameters)
      return pool.use((connection) => run(connection, bound), timeoutMs)
    },
    close: () => pool.close(),
  }
}
