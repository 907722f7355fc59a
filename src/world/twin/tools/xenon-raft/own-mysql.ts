/** The MySQL server in the pod of this xenon: its state, and its replication role. */
import { type MysqlConnection, openMysqlConnection } from '#world/twin/stores'

const TIMEOUT_MS = 2_000

export interface MysqlState {
  readonly position: number
  readonly readOnly: boolean
  /** Its leader as `host:port`; empty if it does not replicate. */
  readonly follows: string
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

export class OwnMysql {
  readonly #port: number
  readonly #login: { readonly user: string; readonly password: string }
  #connection: MysqlConnection | undefined
  /** Serialises queries: a connection runs one at a time. */
  #last: Promise<unknown> = Promise.resolve()

  /** `login` is the login of the replication user. */
  constructor(port: number, login: { readonly user: string; readonly password: string }) {
    this.#port = port
    this.#login = login
  }

  #query(sql: string): ReturnType<MysqlConnection['query']> {
    const result = this.#last.then(() => this.#runQuery(sql))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #runQuery(sql: string): ReturnType<MysqlConnection['query']> {
    const address = async () => ({ host: '127.0.0.1', port: this.#port })
    if (this.#connection === undefined || this.#connection.closed)
      this.#connection = await openMysqlConnection(
        { address, login: { user: 'root', password: '' } },
        AbortSignal.timeout(TIMEOUT_MS),
      )
    const connection = this.#connection
    const timer = setTimeout(() => connection.close(), TIMEOUT_MS)
    try {
      return await connection.query(sql)
    } finally {
      clearTimeout(timer)
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
