/** A MongoDB server without its sockets: documents, users, sessions, logs, and the time that its disk takes. */
import { type StoreServerOptions, sleep } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import type { Document } from './bson.ts'
import type { CommandContext, CommandHost, ServerStatistics, Session } from './commands/command.ts'
import { CursorStore } from './commands/cursor-store.ts'
import { runCommand } from './commands/run-command.ts'
import { VERSION } from './commands/session-commands.ts'
import { DocumentStore } from './document-store.ts'
import { MongodLog } from './mongod-log.ts'
import { type MongodSettings, readMongodSettings } from './mongod-settings.ts'
import { createObjectIds } from './object-ids.ts'
import type { ScramSource } from './scram.ts'
import { UserStore } from './user-store.ts'

/** Whether the server binds only loopback addresses. By default it binds all interfaces. */
const isLoopback = (bindIp = '*'): boolean =>
  bindIp.split(',').every((address) => /^(127\.|localhost$|::1$)/.test(address.trim()))

export class MongodbServer {
  readonly settings: MongodSettings
  readonly log: MongodLog
  readonly #options: StoreServerOptions
  readonly #host: StoreHost
  readonly #store: DocumentStore
  readonly #users: UserStore
  readonly #cursors = new CursorStore()
  readonly #statistics: ServerStatistics
  readonly #commandHost: CommandHost
  #openConnections = 0
  /** All connections so far, including refused ones. */
  #totalConnections = 0
  #disk: Promise<void> = Promise.resolve()
  #auth = false

  /** Throws if the configuration file cannot be read. */
  constructor(options: StoreServerOptions, host: StoreHost, scram: ScramSource) {
    this.#options = options
    this.#host = host
    this.settings = readMongodSettings(host.files, options.args ?? [])
    this.#store = new DocumentStore(host)
    this.#users = new UserStore(this.#store, scram)
    this.#commandHost = {
      hostname: options.environment.HOSTNAME ?? '',
      scram,
      now: () => Math.floor(host.time.now()),
      createId: createObjectIds(host),
      residentBytes: () => host.memory.usedBytes(),
    }
    this.log = new MongodLog((level, line) => options.log(level, line), this.#commandHost.now)
    this.#statistics = {
      startedAt: this.#commandHost.now(),
      counts: {},
      connections: () => ({ current: this.#openConnections, total: this.#totalConnections }),
    }
  }

  get port(): number {
    return this.settings.port ?? this.#options.port
  }

  /** Whether only clients on the same machine can connect. */
  get isLocal(): boolean {
    return isLoopback(this.settings.bindIp)
  }

  /** Reads the documents of the folder; creates the users of an empty store. */
  async open(): Promise<void> {
    const { environment, users, folder } = this.#options
    await this.#store.open(this.settings.folder ?? folder)
    const root = environment.MONGO_INITDB_ROOT_USERNAME
    const password = environment.MONGO_INITDB_ROOT_PASSWORD
    this.#auth = this.settings.auth || users.length > 0 || Boolean(root && password)
    if (this.#store.isEmpty) await this.#createUsers(root, password)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  /** Must be called only for an empty store, so that later changes to users, and deletions, persist. */
  async #createUsers(root: string | undefined, password: string | undefined): Promise<void> {
    if (root && password) await this.#users.create('admin', root, password, [{ role: 'root', db: 'admin' }])
    for (const { name, password: secret, databases } of this.#options.users) {
      if (this.#users.find('admin', name)) continue
      const roles = databases?.map((db) => ({ role: 'readWrite', db })) ?? [{ role: 'root', db: 'admin' }]
      await this.#users.create('admin', name, secret, roles)
    }
  }

  /** Logs that the server listens. */
  announce(port: number): void {
    this.log.listening(this.isLocal ? '127.0.0.1' : '0.0.0.0', {
      port,
      ssl: this.settings.requireTls ? 'on' : 'off',
      version: VERSION,
    })
  }

  /** Returns undefined if there are too many connections. */
  openSession(remote: string): Session | undefined {
    const { maxConnections } = this.#options
    const connectionId = ++this.#totalConnections
    if (maxConnections !== undefined && this.#openConnections >= maxConnections) {
      this.log.connectionRefused(remote)
      return undefined
    }
    this.#openConnections += 1
    const session: Session = { connectionId, remote, authenticated: new Map(), conversation: undefined }
    this.log.connectionAccepted(session, this.#openConnections)
    return session
  }

  /** Must be called when the connection of the session has closed. */
  closeSession(session: Session): void {
    this.#openConnections -= 1
    this.log.connectionEnded(session, this.#openConnections)
  }

  /** Never rejects: the reply says if the command failed. */
  async run(session: Session, body: Document): Promise<Document> {
    const { time } = this.#host
    const startedAt = time.monotonic()
    const { $db: database = 'test' } = body
    const context: CommandContext = {
      host: this.#commandHost,
      store: this.#store,
      users: this.#users,
      cursors: this.#cursors,
      session,
      statistics: this.#statistics,
      database,
      fails: this.#options.fails,
      log: (level, component, text, attributes) =>
        this.log.write(level, component, `conn${session.connectionId}`, text, attributes),
    }
    const { name, reply, failure } = await runCommand(context, body, this.#auth)
    if (name === 'find') await this.#read()
    this.#statistics.counts[name] = (this.#statistics.counts[name] ?? 0) + 1
    this.#options.onCommand(name, time.monotonic() - startedAt, failure)
    return reply
  }

  /** Simulates one disk, which serves reads in order. */
  #read(): Promise<void> {
    const { readMs = 0 } = this.#options
    if (readMs > 0) this.#disk = this.#disk.then(() => sleep(this.#host.time, readMs))
    return this.#disk
  }
}
