/** One client connection of a MySQL server: handshake, login, and then commands in order. */
import type { Socket } from 'node:net'
import { waitForDrain } from '../process-input.ts'
import type { ClientSession } from './client-session.ts'
import { MysqlError } from './mysql-error.ts'
import type { MysqlServer } from './mysql-server.ts'
import { NATIVE_PASSWORD } from './native-password.ts'
import { CAPABILITY, CHARSET, COMMAND, Fields, PacketReader, PacketWriter, toNumber } from './packets.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { binaryPackets, endPacket, errorPacket, okPacket, textPackets } from './result-packets.ts'
import type { Result } from './session.ts'
import { MAX_ALLOWED_PACKET, VERSION } from './settings.ts'
import { tokenise } from './tokens.ts'

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

export class ServerConnection {
  readonly #server: MysqlServer
  readonly #socket: Socket
  readonly #writer: PacketWriter
  readonly #session: ClientSession
  readonly #prepared = new PreparedStatements()
  readonly #reader = new PacketReader()
  readonly #packets: { readonly payload: Buffer; readonly sequence: number }[] = []
  #wake = (): void => undefined
  #closed = false

  constructor(server: MysqlServer, socket: Socket, session: ClientSession) {
    this.#server = server
    this.#socket = socket
    this.#writer = new PacketWriter(socket)
    this.#session = session
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
    try {
      if (await this.#logIn())
        for (let packet = await this.#nextPacket(); packet !== undefined; packet = await this.#nextPacket())
          if (!(await this.#runCommand(packet))) break
    } finally {
      this.#session.close()
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
    const { challenge } = this.#session
    this.#writer.send(toGreeting(this.#session.id, challenge))
    const packet = await this.#nextPacket()
    if (packet === undefined) return false
    const { user, database, plugin, ...answer } = readLoginResponse(packet)
    let { proof } = answer
    if (plugin !== NATIVE_PASSWORD) {
      this.#writer.send(
        Buffer.concat([Buffer.from(`\xfe${NATIVE_PASSWORD}\0`, 'latin1'), challenge, Buffer.from([0])]),
      )
      const retry = await this.#nextPacket()
      if (retry === undefined) return false
      proof = retry
    }
    const error = await this.#session.logIn({ user, database, proof })
    if (error !== undefined) {
      this.#writer.send(errorPacket(error))
      return false
    }
    this.#reader.maxBytes = MAX_ALLOWED_PACKET
    this.#writer.send(okPacket())
    return true
  }

  /** Runs one command. Returns false if the connection ends. */
  async #runCommand(packet: Buffer): Promise<boolean> {
    this.#server.questions += 1
    const text = (): string => packet.subarray(1).toString()
    switch (packet[0]) {
      case COMMAND.quit:
        return false
      case COMMAND.query:
        await this.#session.query(text(), (outcome) =>
          this.#send(
            'error' in outcome ? [errorPacket(outcome.error)] : toPackets(outcome.value, outcome.hasMore),
          ),
        )
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

  /** Returns the number of packets. */
  #send(packets: readonly Buffer[]): number {
    if (!this.#closed) this.#writer.send(...packets)
    return packets.length
  }

  /** Sends the packets or the error. */
  #answer(verb: string, sql: string, work: () => Promise<readonly Buffer[]>): Promise<boolean> {
    return this.#session.answer(verb, sql, work, (outcome) =>
      this.#send('error' in outcome ? [errorPacket(outcome.error)] : outcome.value),
    )
  }

  #execute(packet: Buffer): Promise<boolean> {
    return this.#answer('EXECUTE', 'prepared statement', async () => {
      const result = await this.#session.run(this.#prepared.bind(packet))
      return 'rows' in result ? binaryPackets(result) : [okPacket(result.affected, result.lastId)]
    })
  }

  /** Streams the log, starting at the follower's position, until the follower disconnects. */
  async #streamLog(position: string): Promise<void> {
    const allowed = await this.#session.mayFollow((outcome) =>
      this.#send('error' in outcome ? [errorPacket(outcome.error)] : []),
    )
    if (!allowed) return
    let maxPendingBytes = Number.POSITIVE_INFINITY
    const stop = await this.#session.followLog(position, (line) => {
      if (this.#writer.pendingBytes > maxPendingBytes) this.#socket.destroy()
      else this.#writer.send(Buffer.from(line, 'latin1'))
    })
    // The initial data may exceed the limit and is sent at once.
    maxPendingBytes = this.#writer.pendingBytes + MAX_FOLLOWER_LAG_BYTES
    await this.#nextPacket()
    stop()
  }
}

const toPackets = (result: Result, hasMore: boolean): Buffer[] =>
  'rows' in result ? textPackets(result, hasMore) : [okPacket(result.affected, result.lastId, hasMore)]
