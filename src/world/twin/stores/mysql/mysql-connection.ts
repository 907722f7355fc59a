/** A client connection to a MySQL server, over any transport. */
import { CallFailure } from '#world/twin/ports'
import type { PooledConnection } from '../connection-pool.ts'
import type { LeaderConnection } from './follower.ts'
import type { MysqlError } from './mysql-error.ts'
import { COLUMN } from './packets.ts'

export interface QueryResult {
  /** Empty if the statement returns no rows. */
  readonly columns: readonly { readonly name: string; readonly type: number }[]
  /** Values as text. */
  readonly rows: readonly (readonly (string | null)[])[]
  readonly affected: number
  readonly lastId: number
}

export interface MysqlConnection extends PooledConnection, LeaderConnection {
  /**
   * Resolves with one result per statement. Rejects with a MysqlError if a statement fails, or with a
   * CallFailure if the connection does.
   */
  query(sql: string): Promise<QueryResult[]>
  ping(): Promise<void>
}

/** The messages for failures of a connection. */
export const LOST_CONNECTION = 'Lost connection to MySQL server during query'
export const GONE_AWAY = 'MySQL server has gone away'

/** Error codes of failed logins and missing privileges. */
const LOGIN_CODES = [1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698]

export const toFailure = (error: MysqlError): CallFailure =>
  new CallFailure(
    LOGIN_CODES.includes(error.code) ? 'login' : 'answer',
    `ERROR ${error.code} (${error.state}): ${error.message}`,
  )

/** Whether values of the column type are numbers. */
export const isNumeric = (type: number): boolean =>
  type <= 5 || type === COLUMN.longLong || type === 9 || type === COLUMN.decimal || type === 13
