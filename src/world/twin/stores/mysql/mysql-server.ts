/** The state of a MySQL server that its sessions share, without sockets. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import type { Follower, OpenLeader } from './follower.ts'
import { LogFiles } from './log-files.ts'
import { Settings } from './settings.ts'
import type { Change } from './storage/history.ts'
import { Storage } from './storage/storage.ts'

/** The part of a session that other sessions can see. */
export interface SessionInfo {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly database: string | undefined
  /** The running statement; undefined if the session is idle. */
  readonly statement: string | undefined
  /** When the session began its statement or became idle, in milliseconds since the epoch. */
  readonly since: number
  end(): void
}

const DEFAULT_MAX_CONNECTIONS = 151

const LOG_FOLDER = '/var/log/mysql'

export const REPLICATION_USER = 'qc_repl'

export interface MysqlServerParts {
  /** The caller passes `node:sqlite`, so that only servers load it. */
  readonly sqlite: typeof import('node:sqlite')
  readonly host: StoreHost
  /** Connects to the server that this one follows. */
  readonly openLeader: OpenLeader
}

export class MysqlServer {
  readonly storage: Storage
  readonly settings: Settings
  readonly logs: LogFiles
  readonly sessions = new Map<number, SessionInfo>()
  readonly startedAt: number
  readonly host: StoreHost
  readonly openLeader: OpenLeader
  readonly options: StoreServerOptions
  /** Replication from a leader, if configured. */
  follower: Follower | undefined
  questions = 0
  lastSessionId = 0

  constructor(options: StoreServerOptions, parts: MysqlServerParts) {
    const { environment } = options
    const { host } = parts
    this.options = options
    this.host = host
    this.openLeader = parts.openLeader
    this.storage = new Storage(parts.sqlite, host)
    this.startedAt = this.now()
    this.logs = new LogFiles(environment.MYSQL_LOG_FOLDER ?? LOG_FOLDER, host)
    this.settings = new Settings({
      maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      longQueryTime: Number(environment.MYSQL_LONG_QUERY_TIME ?? 1),
      readOnly: /^(1|on|true)$/i.test(environment.MYSQL_READ_ONLY ?? ''),
    })
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return this.storage.now()
  }

  /** Reads the data of the folder. */
  open(): Promise<void> {
    return this.storage.open(this.options.folder, this.initialChanges())
  }

  /** Logs that the server listens. */
  announce(): Promise<void> {
    return this.log('Note', 'mysqld: ready for connections.')
  }

  /** Returns the changes that the server applies at its first start. */
  initialChanges(): Change[] {
    const { users, databases, environment } = this.options
    const accounts =
      users.length > 0
        ? users
        : [
            { name: 'root', password: '' },
            { name: '', password: '' },
          ]
    const builtIn = [
      { create: { user: 'root', host: 'localhost' }, password: '' },
      { grant: ['ALL'], on: '*.*', to: { user: 'root', host: 'localhost' } },
      {
        create: { user: REPLICATION_USER, host: '%' },
        password: environment.MYSQL_REPL_PASSWORD ?? 'Repl_123',
      },
      { grant: ['REPLICATION SLAVE'], on: '*.*', to: { user: REPLICATION_USER, host: '%' } },
    ]
    const configured = accounts.flatMap(({ name, password, ...rest }) => {
      const account = { user: name, host: '%' }
      const scopes = 'databases' in rest ? rest.databases?.map((database) => `${database}.*`) : undefined
      return [
        { create: account, password, lenient: true },
        ...(scopes ?? ['*.*']).map((on) => ({ grant: ['ALL'], on, to: account })),
      ]
    })
    // A fixed time: replicas that start independently must begin with the same history.
    return [
      ...databases.map((createDatabase) => ({ time: 1, createDatabase })),
      { time: 1, accounts: [...builtIn, ...configured] },
    ]
  }

  /** Writes to the log of the pod and to the error log. */
  log(level: 'Note' | 'Warning' | 'ERROR', text: string): Promise<void> {
    const levels = { Note: 'info', Warning: 'warn', ERROR: 'error' } as const
    this.options.log(levels[level], text)
    return this.logs.error(level, text)
  }
}
