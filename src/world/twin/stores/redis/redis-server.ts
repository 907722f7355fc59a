/** A Redis server without its sockets: logins, sessions, configuration and the reply to INFO. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import { Dataset } from './dataset.ts'
import { createMatcher } from './glob.ts'
import { RedisError, type Reply } from './resp.ts'
import type { Session } from './session.ts'

const DEFAULT_MAX_CLIENTS = 10_000

/** The program of a container is its first process. */
const PROCESS_ID = 1

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  kb: 1024,
  m: 1e6,
  mb: 1024 ** 2,
  g: 1e9,
  gb: 1024 ** 3,
}

const parseMemorySize = (text: string): number => {
  const [, amount, unit] = /^(\d+)([kmg]?b?)$/i.exec(text) ?? []
  const factor = UNITS[unit?.toLowerCase() ?? 'none']
  if (amount === undefined || factor === undefined)
    throw new RedisError('ERR CONFIG SET failed - argument must be a memory value')
  return Number(amount) * factor
}

export class RedisServer {
  readonly data: Dataset
  maxClients: number
  commands = 0
  connections = 0
  readonly #passwords: Map<string, string>
  readonly #sessions = new Map<Session, () => void>()
  readonly #startedAt: number
  readonly #options: StoreServerOptions
  readonly #host: StoreHost
  #lastId = 0

  constructor(options: StoreServerOptions, host: StoreHost) {
    this.#options = options
    this.#host = host
    this.data = new Dataset(host)
    this.#startedAt = this.now()
    this.maxClients = options.maxConnections ?? DEFAULT_MAX_CLIENTS
    this.data.maxMemory = (options.maxMemoryMiB ?? 0) * 1024 ** 2
    this.#passwords = new Map(options.users.map(({ name, password }) => [name || 'default', password]))
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return this.data.now()
  }

  /** Reads the data of the folder, if there is one. */
  async open(): Promise<void> {
    const { folder, log } = this.#options
    if (folder !== undefined) await this.data.open(folder, log)
  }

  /** Logs that the server listens. */
  announce(): void {
    this.#options.log('info', 'Ready to accept connections')
  }

  /** Whether clients must log in: true if any user has a password. */
  get needsLogin(): boolean {
    return this.#passwords.size > 0
  }

  accepts(user: string, password: string): boolean {
    if (!this.needsLogin) return user === 'default'
    return this.#passwords.get(user) === password
  }

  sessions(): Session[] {
    return [...this.#sessions.keys()]
  }

  /** Returns undefined if there are too many sessions. */
  openSession(address: string, close: () => void): Session | undefined {
    if (this.#sessions.size >= this.maxClients) return undefined
    const session: Session = {
      id: ++this.#lastId,
      address,
      since: this.now(),
      user: undefined,
      database: 0,
      lastCommand: 'NULL',
      queue: undefined,
      isClosing: false,
    }
    this.connections += 1
    this.#sessions.set(session, close)
    return session
  }

  removeSession(session: Session): void {
    this.#sessions.delete(session)
  }

  /** Closes connections by address, or by filters such as `ID 5`, `ADDR 10.0.0.1:5000`, `TYPE normal`. */
  kill(words: readonly string[]): number {
    const [kind, value] = words.length === 1 ? ['ADDR', words[0]] : words
    const matching = [...this.#sessions].filter(([session]) => {
      if (kind?.toUpperCase() === 'ID') return String(session.id) === value
      return kind?.toUpperCase() === 'ADDR' ? session.address === value : kind?.toUpperCase() === 'TYPE'
    })
    for (const [, close] of matching) close()
    return matching.length
  }

  get #settings(): Readonly<Record<string, string>> {
    return {
      appendfsync: 'everysec',
      appendonly: this.#options.folder === undefined ? 'no' : 'yes',
      dir: this.#options.folder ?? '',
      maxclients: String(this.maxClients),
      maxmemory: String(this.data.maxMemory),
      'maxmemory-policy': 'noeviction',
      port: String(this.#options.port),
      requirepass: this.#passwords.get('default') ?? '',
    }
  }

  readSettings(pattern: string): Reply {
    const matches = createMatcher(pattern.toLowerCase())
    return Object.entries(this.#settings)
      .filter(([name]) => matches(name))
      .flat()
  }

  changeSetting(name: string, value: string): void {
    if (name === 'requirepass' && value === '') this.#passwords.delete('default')
    else if (name === 'requirepass') this.#passwords.set('default', value)
    else if (name === 'maxmemory') this.data.maxMemory = parseMemorySize(value)
    else if (name === 'maxclients' && /^[1-9]\d*$/.test(value)) this.maxClients = Number(value)
    else throw new RedisError(`ERR Unsupported CONFIG parameter: ${name}`)
    this.#options.log('info', `CONFIG SET ${name}`)
  }

  formatInfo(): string {
    const seconds = Math.floor((this.now() - this.#startedAt) / 1_000)
    const memory = this.data.usedMemory()
    const sections: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
      Server: {
        redis_version: '6.2.4',
        redis_mode: 'standalone',
        process_id: PROCESS_ID,
        uptime_in_seconds: seconds,
      },
      Clients: { connected_clients: this.#sessions.size, maxclients: this.maxClients },
      Memory: {
        used_memory: memory,
        used_memory_rss: this.#host.memory.usedBytes(),
        maxmemory: this.data.maxMemory,
        maxmemory_policy: 'noeviction',
      },
      Persistence: {
        loading: 0,
        aof_enabled: this.#options.folder === undefined ? 0 : 1,
        aof_last_write_status: this.data.writeFailure === undefined ? 'ok' : 'err',
      },
      Stats: { total_connections_received: this.connections, total_commands_processed: this.commands },
      Replication: { role: 'master', connected_slaves: 0 },
      Keyspace: Object.fromEntries(
        [...this.data.spaces.entries()]
          .filter(([, space]) => space.keys().length > 0)
          .map(([at, space]) => [
            `db${at}`,
            `keys=${space.keys().length},expires=${space.expiringCount},avg_ttl=0`,
          ]),
      ),
    }
    return Object.entries(sections)
      .map(([title, fields]) =>
        [`# ${title}`, ...Object.entries(fields).map(([name, value]) => `${name}:${value}`), ''].join('\r\n'),
      )
      .join('\r\n')
  }
}
