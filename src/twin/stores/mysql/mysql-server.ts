/** A MySQL server without its sockets: what all its sessions share. */
import type { StoreServerOptions } from '../../ports/index.ts'
import type { Follower } from './follower.ts'
import type { Change } from './history.ts'
import { LogFiles } from './log-files.ts'
import { Settings } from './settings.ts'
import { Storage } from './storage.ts'

/** As much of a session as others may see. */
export interface SessionInfo {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly database: string | undefined
  /** What it does now; undefined where it waits. */
  readonly statement: string | undefined
  /** Milliseconds since the epoch. */
  readonly since: number
  end(): void
}

const DEFAULT_MAX_CONNECTIONS = 151

const LOG_FOLDER = '/var/log/mysql'

export const REPLICATION_USER = 'qc_repl'

export class MysqlServer {
  readonly storage: Storage
  readonly settings: Settings
  readonly logs: LogFiles
  readonly sessions = new Map<number, SessionInfo>()
  readonly startedAt = Date.now()
  readonly options: StoreServerOptions
  /** What copies from a leader, where there is one. */
  follower: Follower | undefined
  questions = 0

  constructor(options: StoreServerOptions, sqlite: typeof import('node:sqlite')) {
    const { environment } = options
    this.options = options
    this.storage = new Storage(sqlite)
    this.logs = new LogFiles(environment.MYSQL_LOG_FOLDER ?? LOG_FOLDER)
    this.settings = new Settings({
      maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      longQueryTime: Number(environment.MYSQL_LONG_QUERY_TIME ?? 1),
      readOnly: /^(1|on|true)$/i.test(environment.MYSQL_READ_ONLY ?? ''),
    })
  }

  /** All that is there when a server starts for the first time. */
  firstChanges(): Change[] {
    const { users, databases, environment } = this.options
    const named =
      users.length > 0
        ? users
        : [
            { name: 'root', password: '' },
            { name: '', password: '' },
          ]
    const everywhere = [
      { make: { user: 'root', host: 'localhost' }, password: '' },
      { grant: ['ALL'], on: '*.*', to: { user: 'root', host: 'localhost' } },
      {
        make: { user: REPLICATION_USER, host: '%' },
        password: environment.MYSQL_REPL_PASSWORD ?? 'Repl_123',
      },
      { grant: ['REPLICATION SLAVE'], on: '*.*', to: { user: REPLICATION_USER, host: '%' } },
    ]
    const own = named.flatMap(({ name, password, ...rest }) => {
      const who = { user: name, host: '%' }
      const places = 'databases' in rest ? rest.databases?.map((one) => `${one}.*`) : undefined
      return [
        { make: who, password, lenient: true },
        ...(places ?? ['*.*']).map((on) => ({ grant: ['ALL'], on, to: who })),
      ]
    })
    // The same time everywhere: replicas that start by themselves must begin with the same history.
    return [
      ...databases.map((makeDatabase) => ({ time: 1, makeDatabase })),
      { time: 1, accounts: [...everywhere, ...own] },
    ]
  }

  /** To those who read the log of the pod, and to the file. */
  tell(level: 'Note' | 'Warning' | 'ERROR', text: string): Promise<void> {
    const levels = { Note: 'info', Warning: 'warn', ERROR: 'error' } as const
    this.options.log(levels[level], text)
    return this.logs.error(level, text)
  }
}
