/** The MySQL server in the pod of this xenon: its state, and its replication role. */
import type { MysqlConnection } from '#world/twin/stores'
import { withDeadline } from './with-deadline.ts'
import type { XenonHost } from './xenon-host.ts'

const TIMEOUT_MS = 2_000

export interface MysqlState {
  readonly position: number
  readonly readOnly: boolean
  /** Its leader as `host:port`; empty if it does not replicate. */
  readonly follows: string
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

type MysqlHost = Pick<XenonHost, 'time' | 'openMysql'>

export class OwnMysql {
  readonly #host: MysqlHost
  readonly #port: number
  readonly #login: { readonly user: string; readonly password: string }
  #connection: MysqlConnection | undefined
  /** Serialises queries: a connection runs one at a time. */
  #last: Promise<unknown> = Promise.resolve()

  /** `login` is the login of the replication user. */
  constructor(host: MysqlHost, port: number, login: { readonly user: string; readonly password: string }) {
    this.#host = host
    this.#port = port
    this.#login = login
  }

  #query(sql: string): ReturnType<MysqlConnection['query']> {
    const result = this.#last.then(() => this.#runQuery(sql))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #runQuery(sql: string): ReturnType<MysqlConnection['query']> {
    const { time, openMysql } = this.#host
    if (this.#connection === undefined || this.#connection.closed)
      this.#connection = await withDeadline(time, TIMEOUT_MS, 'MySQL did not answer', (signal) =>
        openMysql(this.#port, signal),
      )
    const connection = this.#connection
    const cancel = time.after(TIMEOUT_MS, () => connection.close())
    try {
      return await connection.query(sql)
    } finally {
      cancel()
    }
  }

  /** Returns undefined if the server does not answer. */
  async state(): Promise<MysqlState | undefined> {
    try {
      const [master, slave, settings] = await this.#query(
        'SHOW MASTER STATUS; SHOW SLAVE STATUS; SELECT @@read_only',
      )
      const readCell = (name: string): string =>
        slave?.rows[0]?.[slave.columns.findIndex((column) => column.name === name)] ?? ''
      return {
        position: Number(master?.rows[0]?.[1] ?? 0),
        readOnly: settings?.rows[0]?.[0] === '1',
        follows:
          readCell('Slave_SQL_Running') === 'Yes'
            ? `${readCell('Master_Host')}:${readCell('Master_Port')}`
            : '',
      }
    } catch {
      return undefined
    }
  }

  async lead(): Promise<void> {
    await this.#query('STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0')
  }

  async follow(host: string, port: number): Promise<void> {
    const { user, password } = this.#login
    await this.#query(
      `SET GLOBAL super_read_only = 1; STOP SLAVE; CHANGE MASTER TO MASTER_HOST=${quote(host)}, MASTER_PORT=${port}, ` +
        `MASTER_USER=${quote(user)}, MASTER_PASSWORD=${quote(password)}; START SLAVE`,
    )
  }

  async resign(): Promise<void> {
    await this.#query('SET GLOBAL super_read_only = 1')
  }

  close(): void {
    this.#connection?.close()
  }
}
