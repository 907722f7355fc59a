/**
 * A server that speaks the MongoDB wire protocol, keeps documents in a folder and requires logins as mongod
 * does.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ListeningServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processInput } from '../process-input.ts'
import type { Document } from './bson.ts'
import type { ServerStatistics, Session } from './commands/command.ts'
import { CursorStore } from './commands/cursor-store.ts'
import { runCommand } from './commands/run-command.ts'
import { VERSION } from './commands/session-commands.ts'
import { DocumentStore } from './document-store.ts'
import { type MongodSettings, readMongodSettings } from './mongod-settings.ts'
import { UserStore } from './user-store.ts'
import { createMessageReader, toLegacyReply, toMessage, type WireMessage } from './wire-message.ts'

type Level = 'info' | 'warn' | 'error'

const SEVERITIES = { info: 'I', warn: 'W', error: 'E' } as const

/** Formats a log line as mongod does. */
const toLogLine = (level: Level, component: string, context: string, msg: string, attr: Document): string =>
  JSON.stringify({
    t: { $date: new Date().toISOString() },
    s: SEVERITIES[level],
    c: component,
    ctx: context,
    msg,
    attr,
  })

const TLS_HANDSHAKE = 0x16

/** Loads the TLS module on demand, because most servers run without TLS. */
const loadTls = async ({ requireTls, certificateKeyFile }: MongodSettings) => {
  if (!requireTls || certificateKeyFile === undefined) return undefined
  const { createSecureContext, TLSSocket } = await import('node:tls')
  const pem = readFileSync(certificateKeyFile)
  const secureContext = createSecureContext({ cert: pem, key: pem })
  return (socket: Socket): Socket => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext })
    // The client reports the failed handshake.
    secured.on('error', () => socket.destroy())
    return secured
  }
}

/** Whether the server binds only loopback addresses. By default it binds all interfaces. */
const isLoopback = (bindIp = '*'): boolean =>
  bindIp.split(',').every((address) => /^(127\.|localhost$|::1$)/.test(address.trim()))

class MongodbServer {
  readonly #options: StoreServerOptions
  readonly #settings: MongodSettings
  readonly #store = new DocumentStore()
  readonly #users = new UserStore(this.#store)
  readonly #cursors = new CursorStore()
  readonly #statistics: ServerStatistics
  #openConnections = 0
  /** All connections so far, including refused ones. */
  #totalConnections = 0
  #disk: Promise<void> = Promise.resolve()
  #requests = 0
  #auth = false
  #acceptTls: ((socket: Socket) => Socket) | undefined

  constructor(options: StoreServerOptions) {
    this.#options = options
    this.#settings = readMongodSettings(options.args ?? [])
    this.#statistics = {
      startedAt: Date.now(),
      counts: {},
      connections: () => ({ current: this.#openConnections, total: this.#totalConnections }),
    }
  }

  async start(): Promise<ListeningServer> {
    const { environment, users, folder, port } = this.#options
    this.#acceptTls = await loadTls(this.#settings)
    await this.#store.open(this.#settings.folder ?? folder)
    const root = environment.MONGO_INITDB_ROOT_USERNAME
    const password = environment.MONGO_INITDB_ROOT_PASSWORD
    this.#auth = this.#settings.auth || users.length > 0 || Boolean(root && password)
    if (this.#store.isEmpty) await this.#createUsers(root, password)
    const host = isLoopback(this.#settings.bindIp) ? '127.0.0.1' : undefined
    const server = await listen(this.#settings.port ?? port, (socket) => this.#accept(socket), host)
    this.#log('info', 'NETWORK', 'listener', 'Listening on', { address: host ?? '0.0.0.0' })
    this.#log('info', 'NETWORK', 'listener', 'Waiting for connections', {
      port: server.port,
      ssl: this.#settings.requireTls ? 'on' : 'off',
      version: VERSION,
    })
    return {
      port: server.port,
      close: async (graceMs) => {
        await server.close(graceMs)
        await this.#store.close()
      },
    }
  }

  /** Called only for an empty store, so that later changes to users, and deletions, persist. */
  async #createUsers(root: string | undefined, password: string | undefined): Promise<void> {
    if (root && password) await this.#users.create('admin', root, password, [{ role: 'root', db: 'admin' }])
    for (const { name, password: secret, databases } of this.#options.users) {
      if (this.#users.find('admin', name)) continue
      const roles = databases?.map((db) => ({ role: 'readWrite', db })) ?? [{ role: 'root', db: 'admin' }]
      await this.#users.create('admin', name, secret, roles)
    }
  }

  #log(level: Level, component: string, context: string, message: string, attributes: Document): void {
    this.#options.log(level, toLogLine(level, component, context, message, attributes))
  }

  #accept(socket: Socket): void {
    const { maxConnections } = this.#options
    const connectionId = ++this.#totalConnections
    const remote = `${socket.remoteAddress}:${socket.remotePort}`
    const context = `conn${connectionId}`
    if (maxConnections !== undefined && this.#openConnections >= maxConnections) {
      const message = 'Connection refused because there are too many open connections'
      this.#log('info', 'NETWORK', 'listener', message, { remote })
      socket.destroy()
      return
    }
    this.#openConnections += 1
    const logConnection = (logContext: string, message: string): void =>
      this.#log('info', 'NETWORK', logContext, message, {
        remote,
        connectionId,
        connectionCount: this.#openConnections,
      })
    logConnection('listener', 'Connection accepted')
    socket.on('close', () => {
      this.#openConnections -= 1
      logConnection(context, 'Connection ended')
    })
    const session: Session = { connectionId, remote, authenticated: new Map(), conversation: undefined }
    if (this.#settings.requireTls) this.#requireTls(socket, session)
    else this.#serve(socket, session)
  }

  /** Detects TLS by the first byte of a connection, and closes connections without TLS. */
  #requireTls(socket: Socket, session: Session): void {
    socket.once('data', (chunk) => {
      if (chunk[0] === TLS_HANDSHAKE && this.#acceptTls) {
        socket.pause()
        socket.unshift(chunk)
        this.#serve(this.#acceptTls(socket), session)
        return
      }
      this.#log(
        'info',
        'NETWORK',
        `conn${session.connectionId}`,
        'Error receiving request. Ending connection',
        {
          error: {
            code: 141,
            codeName: 'SSLHandshakeFailed',
            errmsg: 'The server is configured to only allow SSL connections',
          },
          remote: session.remote,
        },
      )
      socket.destroy()
    })
  }

  #serve(socket: Socket, session: Session): void {
    const read = createMessageReader()
    const messages: WireMessage[] = []
    processInput(socket, {
      receive: (chunk) => {
        messages.push(...read(chunk))
      },
      processNext: async () => {
        const message = messages.shift()
        if (message === undefined) return false
        await this.#answer(socket, session, message)
        return true
      },
      onMalformed: ({ message }) => {
        this.#log('info', 'NETWORK', `conn${session.connectionId}`, 'Bad message. Ending connection', {
          error: message,
        })
        socket.destroy()
      },
    })
  }

  /** Simulates one disk, which serves reads in order. */
  #read(): Promise<void> {
    const { readMs = 0 } = this.#options
    if (readMs > 0) this.#disk = this.#disk.then(() => new Promise((resolve) => setTimeout(resolve, readMs)))
    return this.#disk
  }

  async #answer(socket: Socket, session: Session, message: WireMessage): Promise<void> {
    const startedAt = performance.now()
    const { $db: database = 'test' } = message.body
    const context = {
      store: this.#store,
      users: this.#users,
      cursors: this.#cursors,
      session,
      statistics: this.#statistics,
      database,
      fails: this.#options.fails,
      log: (level: Level, component: string, text: string, attributes: Document) =>
        this.#log(level, component, `conn${session.connectionId}`, text, attributes),
    }
    const { name, reply, failure } = await runCommand(context, message.body, this.#auth)
    if (name === 'find') await this.#read()
    this.#statistics.counts[name] = (this.#statistics.counts[name] ?? 0) + 1
    this.#options.onCommand(name, performance.now() - startedAt, failure)
    if (message.expectsNoReply || socket.destroyed) return
    this.#requests = (this.#requests + 1) % 0x7fffffff
    const encode = message.isLegacy ? toLegacyReply : toMessage
    socket.write(encode(this.#requests, message.requestId, reply))
  }
}

/** Rejects if the folder or the port cannot be used. */
export const startMongodbServer = async (options: StoreServerOptions): Promise<ListeningServer> =>
  new MongodbServer(options).start()
