/** One client connection of a MySQL server: handshake, login, and then commands in order. */
import type { Socket } from 'node:net'
import { waitForDrain } from '../process-input.ts'
import { toHost } from './accounts.ts'
import { parsePosition } from './history.ts'
import { accessDenied, MysqlError, toMysqlError, tooManyConnections } from './mysql-error.ts'
import type { MysqlServer } from './mysql-server.ts'
import { createChallenge, isProofValid, NATIVE_PASSWORD } from './native-password.ts'
import { CAPABILITY, CHARSET, COMMAND, Fields, PacketReader, PacketWriter, toNumber } from './packets.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { binaryPackets, endPacket, errorPacket, okPacket, textPackets } from './result-packets.ts'
import { type Result, Session } from './session.ts'
import { MAX_ALLOWED_PACKET, VERSION } from './settings.ts'
import { splitStatements, type Token, tokenise, toSql } from './tokens.ts'

const CAPABILITIES =
  CAPABILITY.longPassword |
  CAPABILITY.foundRows |
  CAPABILITY.connectWithDatabase |
  CAPABILITY.protocol41 |
  CAPABILITY.transactions |
  CAPABILITY.secureConnection |
  CAPABILITY.multiStatements |
  CAPABILITY.multiResults |
  CAPABILITY.pluginAuth |
  CAPABILITY.connectAttributes |
  CAPABILITY.authLengthEncoded

/** A follower that lags by more than this is disconnected. */
const MAX_FOLLOWER_LAG_BYTES = 32 * 1024 * 1024

const HEARTBEAT_MS = 1_000

/** Time limit for the login: a pending login occupies a connection. */
const LOGIN_TIMEOUT_MS = 10_000

const MAX_LOGIN_BYTES = 64 * 1024

const toGreeting = (id: number, challenge: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`${VERSION}\0`),
    toNumber(id, 4),
    challenge.subarray(0, 8),
    Buffer.from([0]),
    toNumber(CAPABILITIES & 0xffff, 2),
    toNumber(CHARSET, 1),
    toNumber(2, 2),
    toNumber(CAPABILITIES >>> 16, 2),
    toNumber(21, 1),
    Buffer.alloc(10),
    challenge.subarray(8),
    Buffer.from(`\0${NATIVE_PASSWORD}\0`),
  ])

interface LoginResponse {
  readonly user: string
  readonly proof: Buffer
  readonly database: string
  readonly plugin: string
}

const readLoginResponse = (payload: Buffer): LoginResponse => {
  const fields = new Fields(payload)
  const flags = fields.number(4)
  fields.bytes(4 + 1 + 23)
  const user = fields.word()
  const proof = Buffer.from(fields.bytes(fields.length() ?? 0))
  const database = (flags & CAPABILITY.connectWithDatabase) !== 0 ? fields.word() : ''
  const plugin = (flags & CAPABILITY.pluginAuth) !== 0 && fields.left > 0 ? fields.word() : NATIVE_PASSWORD
  return { user, proof, database, plugin }
}

/** Extra connections for users with the SUPER privilege, as in MySQL. Probes use them too. */
const SPARE_CONNECTIONS = 3

export class ServerConnection {
  readonly #server: MysqlServer
  readonly #socket: Socket
  readonly #writer: PacketWriter
  readonly #session: Session
  readonly #prepared = new PreparedStatements()
  readonly #reader = new PacketReader()
  readonly #packets: { readonly payload: Buffer; readonly sequence: number }[] = []
  #wake = (): void => undefined
  #closed = false

  constructor(server: MysqlServer, socket: Socket, id: number) {
    this.#server = server
    this.#socket = socket
    this.#writer = new PacketWriter(socket)
    this.#session = new Session(server, id, toHost(socket.remoteAddress ?? ''), () => socket.destroy())
    this.#reader.maxBytes = MAX_LOGIN_BYTES
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.once('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  #receive(chunk: Buffer): void {
    try {
      if (this.#socket.writable) this.#packets.push(...this.#reader.push(chunk))
    } catch {
      this.#writer.send(
        errorPacket(new MysqlError(1153, '08S01', "Got a packet bigger than 'max_allowed_packet' bytes")),
      )
      this.#socket.destroySoon()
    }
    // Stops reading if the client sends further packets before it receives a response.
    if (this.#packets.length > 1) this.#socket.pause()
    this.#wake()
  }

  /** Serves the client until it disconnects. */
  async serve(): Promise<void> {
    this.#server.sessions.set(this.#session.id, this.#session)
    const timer = setTimeout(() => this.#socket.destroy(), LOGIN_TIMEOUT_MS)
    try {
      const isLoggedIn = await this.#logIn()
      clearTimeout(timer)
      if (isLoggedIn)
        for (let packet = await this.#nextPacket(); packet !== undefined; packet = await this.#nextPacket())
          if (!(await this.#runCommand(packet))) break
    } finally {
      clearTimeout(timer)
      this.#session.rollback()
      this.#server.sessions.delete(this.#session.id)
      this.#socket.destroySoon()
    }
  }

  async #nextPacket(): Promise<Buffer | undefined> {
    await waitForDrain(this.#socket)
    if (this.#packets.length === 0) this.#socket.resume()
    while (this.#packets.length === 0 && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const packet = this.#closed ? undefined : this.#packets.shift()
    // The sequence numbers of a response continue those of its request.
    if (packet !== undefined) this.#writer.sequence = (packet.sequence + 1) & 0xff
    return packet?.payload
  }

  async #logIn(): Promise<boolean> {
    const challenge = createChallenge()
    this.#writer.send(toGreeting(this.#session.id, challenge))
    const packet = await this.#nextPacket()
    if (packet === undefined) return false
    const answer = readLoginResponse(packet)
    let { proof } = answer
    if (answer.plugin !== NATIVE_PASSWORD) {
      this.#writer.send(
        Buffer.concat([Buffer.from(`\xfe${NATIVE_PASSWORD}\0`, 'latin1'), challenge, Buffer.from([0])]),
      )
      const retry = await this.#nextPacket()
      if (retry === undefined) return false
      proof = retry
    }
    try {
      this.#admit(answer, proof, challenge)
    } catch (error) {
      const mysqlError = toMysqlError(error, answer.database)
      await this.#server.log('Note', mysqlError.message)
      this.#server.options.onCommand('connect', 0, mysqlError.message)
      this.#writer.send(errorPacket(mysqlError))
      return false
    }
    this.#reader.maxBytes = MAX_ALLOWED_PACKET
    this.#writer.send(okPacket())
    return true
  }

  #admit({ user, database }: LoginResponse, proof: Buffer, challenge: Buffer): void {
    const { host } = this.#session
    const account = this.#server.storage.accounts.find(user, host)
    if (account === undefined || !isProofValid(proof, challenge, account.password))
      throw accessDenied(user, host, proof.length > 0)
    const { sessions, settings, storage } = this.#server
    const loggedIn = [...sessions.values()].filter((session) => session.user !== '').length
    const spare = storage.accounts.isAllowed(account, 'SUPER') ? SPARE_CONNECTIONS : 0
    if (loggedIn >= settings.maxConnections + spare) throw tooManyConnections()
    this.#session.logIn(account, user)
    if (database !== '') this.#session.use(database)
  }

  /** Runs one command. Returns false if the connection ends. */
  async #runCommand(packet: Buffer): Promise<boolean> {
    this.#server.questions += 1
    const text = (): string => packet.subarray(1).toString()
    switch (packet[0]) {
      case COMMAND.quit:
        return false
      case COMMAND.query:
        await this.#query(text())
        break
      case COMMAND.useDatabase:
        await this.#answer('USE', text(), async () => {
          this.#session.use(text())
          return [okPacket()]
        })
        break
      case COMMAND.ping:
      case COMMAND.resetStatement:
        this.#writer.send(okPacket())
        break
      case COMMAND.resetConnection:
        this.#session.rollback()
        this.#writer.send(okPacket())
        break
      case COMMAND.setOption:
        this.#writer.send(endPacket())
        break
      case COMMAND.statistics:
        this.#writer.send(
          Buffer.from(`Threads: ${this.#server.sessions.size}  Questions: ${this.#server.questions}`),
        )
        break
      case COMMAND.prepare:
        await this.#answer('PREPARE', text(), async () => this.#prepared.prepare(tokenise(text())))
        break
      case COMMAND.execute:
        await this.#execute(packet)
        break
      case COMMAND.closeStatement:
        this.#prepared.close(packet.readUInt32LE(1))
        break
      case COMMAND.followLog:
        await this.#streamLog(text())
        return false
      default:
        this.#writer.send(errorPacket(new MysqlError(1047, '08S01', 'Unknown command')))
    }
    return true
  }

  /** Sends the packets or the error, and records the command. */
  async #answer(verb: string, sql: string, work: () => Promise<readonly Buffer[]>): Promise<boolean> {
    const startedAt = Date.now()
    const startTime = performance.now()
    this.#session.statement = sql
    this.#session.since = startedAt
    let failure: string | undefined
    let packets: readonly Buffer[]
    try {
      packets = await work()
    } catch (error) {
      const mysqlError = toMysqlError(error, this.#session.database ?? '')
      failure = `ERROR ${mysqlError.code} (${mysqlError.state}): ${mysqlError.message}`
      packets = [errorPacket(mysqlError)]
    }
    // Statements of the pod's own probes are not logged: probes must not wait for the log.
    if (this.#session.host !== 'localhost') await this.#server.logs.statement(this.#session.id, verb, sql)
    const durationMs = performance.now() - startTime
    if (!this.#closed) this.#writer.send(...packets)
    this.#session.statement = undefined
    this.#session.since = Date.now()
    this.#server.options.onCommand(verb, durationMs, failure)
    if (durationMs >= this.#server.settings.longQueryTime * 1_000)
      await this.#server.logs.slow({
        user: this.#session.user,
        host: this.#session.host,
        connectionId: this.#session.id,
        startedAt,
        durationMs,
        rows: packets.length,
        sql,
      })
    return failure === undefined
  }

  async #query(sql: string): Promise<void> {
    let statements: readonly Token[][] = []
    const parsed = await this.#parse(sql, () => {
      statements = splitStatements(tokenise(sql))
      if (statements.length === 0) throw new MysqlError(1065, '42000', 'Query was empty')
    })
    if (!parsed) return
    for (const [index, statement] of statements.entries()) {
      const hasMore = index < statements.length - 1
      const text = statements.length === 1 ? sql : toSql(statement)
      const succeeded = await this.#answer(statement[0]!.text.toUpperCase(), text, async () =>
        toPackets(await this.#run(statement), hasMore),
      )
      if (!succeeded) return
    }
  }

  #parse(sql: string, work: () => void): Promise<boolean> | boolean {
    try {
      work()
      return true
    } catch (error) {
      return this.#answer('PARSE', sql, () => Promise.reject(error))
    }
  }

  #run(statement: readonly Token[]): Promise<Result> {
    if (this.#server.options.fails?.(statement[0]!.text.toUpperCase()) === true)
      throw new MysqlError(1105, 'HY000', 'Unknown error')
    return this.#session.run(statement)
  }

  #execute(packet: Buffer): Promise<boolean> {
    return this.#answer('EXECUTE', 'prepared statement', async () => {
      const result = await this.#run(this.#prepared.bind(packet))
      return 'rows' in result ? binaryPackets(result) : [okPacket(result.affected, result.lastId)]
    })
  }

  /** Streams the log, starting at the follower's position, until the follower disconnects. */
  async #streamLog(position: string): Promise<void> {
    const allowed = await this.#answer('FOLLOW', 'Binlog Dump GTID', async () => {
      this.#session.requirePrivilege('REPLICATION SLAVE')
      return []
    })
    if (!allowed) return
    this.#session.statement = 'Binlog Dump GTID'
    let maxPendingBytes = Number.POSITIVE_INFINITY
    const send = (line: string): void => {
      if (this.#writer.pendingBytes > maxPendingBytes) this.#socket.destroy()
      else this.#writer.send(Buffer.from(line, 'latin1'))
    }
    const unsubscribe = await this.#server.storage.subscribe(parsePosition(position), send)
    // The initial data may exceed the limit and is sent at once.
    maxPendingBytes = this.#writer.pendingBytes + MAX_FOLLOWER_LAG_BYTES
    const heartbeat = setInterval(() => send(''), HEARTBEAT_MS)
    await this.#nextPacket()
    clearInterval(heartbeat)
    unsubscribe()
  }
}

const toPackets = (result: Result, hasMore: boolean): Buffer[] =>
  'rows' in result ? textPackets(result, hasMore) : [okPacket(result.affected, result.lastId, hasMore)]
