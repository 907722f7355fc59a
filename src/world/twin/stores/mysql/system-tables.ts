/** The system tables of a MySQL server, created for each query that names them. */
import type { Cell, Rows } from './databases.ts'
import type { MysqlServer } from './mysql-server.ts'
import { listProcesses, PROCESS_COLUMNS } from './show.ts'

const SYSTEM_DATABASES = ['information_schema', 'mysql', 'performance_schema', 'sys']

export const isSystemDatabase = (name: string): boolean => SYSTEM_DATABASES.includes(name.toLowerCase())

interface Table {
  readonly columns: readonly string[]
  listRows(): readonly (readonly Cell[])[]
}

/** The rows of a query on the schema of each database, after the name of the database. */
const readSchemas = ({ storage: { databases } }: MysqlServer, sql: string): Cell[][] =>
  databases.names().flatMap((name) => databases.read(name, sql).rows.map((row) => [name, ...row]))

const COLUMNS_SQL = `SELECT tables.name, columns.name, columns.cid + 1, columns.dflt_value,
  iif(columns."notnull" OR columns.pk, 'NO', 'YES'), lower(columns.type)
  FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`

const INDEXES_SQL = `SELECT tables.name, 1 - indexes."unique", indexes.name, columns.seqno + 1, columns.name
  FROM sqlite_master AS tables, pragma_index_list(tables.name) AS indexes, pragma_index_info(indexes.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`

const listTables = (server: MysqlServer, database: string): Readonly<Record<string, Table>> => {
  const { accounts, databases } = server.storage
  if (database.toLowerCase() === 'mysql')
    return {
      user: {
        columns: ['Host', 'User', 'plugin', 'authentication_string'],
        listRows: () =>
          accounts.list().map(({ user, host, password }) => [host, user, 'mysql_native_password', password]),
      },
    }
  return {
    schemata: {
      columns: ['CATALOG_NAME', 'SCHEMA_NAME'],
      listRows: () => databases.names().map((name) => ['def', name]),
    },
    tables: {
      columns: ['TABLE_SCHEMA', 'TABLE_NAME', 'TABLE_TYPE', 'ENGINE'],
      listRows: () =>
        databases
          .names()
          .flatMap((name) => databases.tables(name).map((table) => [name, table, 'BASE TABLE', 'InnoDB'])),
    },
    columns: {
      columns: [
        ...['TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME', 'ORDINAL_POSITION'],
        ...['COLUMN_DEFAULT', 'IS_NULLABLE', 'COLUMN_TYPE'],
      ],
      listRows: () => readSchemas(server, COLUMNS_SQL),
    },
    statistics: {
      columns: ['TABLE_SCHEMA', 'TABLE_NAME', 'NON_UNIQUE', 'INDEX_NAME', 'SEQ_IN_INDEX', 'COLUMN_NAME'],
      listRows: () => readSchemas(server, INDEXES_SQL),
    },
    processlist: { columns: PROCESS_COLUMNS, listRows: () => listProcesses(server) },
  }
}

const toLiteral = (value: Cell): string => {
  if (value === null) return 'NULL'
  return typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : `'${String(value).replaceAll("'", "''")}'`
}

/** Runs a query on the system tables; throws the error of SQLite. */
export const readSystemTable = (server: MysqlServer, database: string, sql: string): Rows => {
  const used = Object.entries(listTables(server, database)).filter(([name]) =>
    sql.toLowerCase().includes(name),
  )
  const definitions = used.map(([name, { columns, listRows }]) => {
    const rows = listRows()
    const values =
      rows.length === 0
        ? `SELECT ${columns.map(() => 'NULL').join(',')} WHERE 0`
        : `VALUES ${rows.map((row) => `(${row.map(toLiteral).join(',')})`).join(',')}`
    return `"${name}"(${columns.map((column) => `"${column}"`).join(',')}) AS (${values})`
  })
  const clause = definitions.length === 0 ? '' : `WITH ${definitions.join(', ')} `
  return server.storage.databases.read(undefined, `${clause}${sql}`)
}
