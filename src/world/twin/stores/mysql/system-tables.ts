/** The system tables of a MySQL server, created for each query. */
import type { Cell, Rows } from './databases.ts'
import type { MysqlServer } from './mysql-server.ts'
import { listProcesses, PROCESS_COLUMNS } from './show.ts'

const SYSTEM_DATABASES = ['information_schema', 'mysql', 'performance_schema', 'sys']

export const isSystemDatabase = (name: string): boolean => SYSTEM_DATABASES.includes(name.toLowerCase())

interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

const listTables = (server: MysqlServer, database: string): Readonly<Record<string, Table>> => {
  const { accounts, databases } = server.storage
  if (database.toLowerCase() === 'mysql')
    return {
      user: {
        columns: ['Host', 'User', 'plugin', 'authentication_string'],
        rows: accounts
          .list()
          .map(({ user, host, password }) => [host, user, 'mysql_native_password', password]),
      },
    }
  return {
    schemata: {
      columns: ['CATALOG_NAME', 'SCHEMA_NAME'],
      rows: databases.names().map((name) => ['def', name]),
    },
    tables: {
      columns: ['TABLE_SCHEMA', 'TABLE_NAME', 'TABLE_TYPE', 'ENGINE'],
      rows: databases
        .names()
        .flatMap((name) => databases.tables(name).map((table) => [name, table, 'BASE TABLE', 'InnoDB'])),
    },
    processlist: { columns: PROCESS_COLUMNS, rows: listProcesses(server) },
  }
}

const toLiteral = (value: Cell): string => {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}

/** Runs a query on the system tables; throws the error of SQLite. */
export const readSystemTable = (server: MysqlServer, database: string, sql: string): Rows => {
  const definitions = Object.entries(listTables(server, database)).map(([name, { columns, rows }]) => {
    const values =
      rows.length === 0
        ? `SELECT ${columns.map(() => 'NULL').join(',')} WHERE 0`
        : `VALUES ${rows.map((row) => `(${row.map(toLiteral).join(',')})`).join(',')}`
    return `"${name}"(${columns.map((column) => `"${column}"`).join(',')}) AS (${values})`
  })
  return server.storage.databases.read(undefined, `WITH ${definitions.join(', ')} ${sql}`)
}
