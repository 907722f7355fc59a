/** Opens a connection to a MySQL server over a socket. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, type StoreLogin, toCallFailure } from '#world/twin/ports'
import { openSocket, type SocketOptions } from '../open-socket.ts'
import {
  GONE_AWAY,
  LOST_CONNECTION,
  type MysqlConnection,
  type QueryResult,
  toFailure,
} from './mysql-connection.ts'
import { MysqlError } from './mysql-error.ts'
import { NATIVE_PASSWORD, toProof } from './native-password.ts'
import {
  CAPABILITY,
  CHARSET,
  COMMAND,
  Fields,
  PacketReader,
  PacketWriter,
  toLength,
  toNumber,
} from './packets.ts'

const MORE_RESULTS = 8

const CAPABILITIES =
  CAPABILITY.longPassword |
  CAPABILITY.protocol41 |
  CAPABILITY.transactions |
  CAPABILITY.secureConnection |
  CAPABILITY.multiStatements |
  CAPABILITY.multiResults |
  CAPABILITY.pluginAuth

const readError = (payload: Buffer): MysqlError => {
  const fields = new Fields(payload, 1)
  const code = fields.number(2)
  // Errors before the handshake have no SQL state.
  const hasState = payload[fields.at] === 0x23
  const state = hasState ? fields.bytes(6).toString().slice(1) : 'HY000'
  return new MysqlError(code, state, fields.bytes().toString())
}

const isEnd = (payload: Buffer): boolean => payload[0] === 0xfe && payload.length < 9

/** Handles the packets of one response; returns true when it is complete. */
type PacketHandler = (payload: Buffer) => boolean

class SocketConnection implements MysqlConnection {
  closed = false
  readonly #socket: Socket
  readonly #writer: PacketWriter
  #handlePacket: PacketHandler | undefined
  #fail: ((failure: Error) => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#writer = new PacketWriter(socket)
    const reader = new PacketReader()
    socket.on('data', (chunk) => {
      try {
        for (const { payload, sequence } of reader.push(chunk)) {
          this.#writer.sequence = (sequence + 1) & 0xff
          if (this.#handlePacket?.(payload)) this.#handlePacket = undefined
        }
      } catch (error) {
        this.#end(new CallFailure('reset', `Malformed communication packet: ${(error as Error).message}`))
        socket.destroy()
      }
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', LOST_CONNECTION)))
  }

  #end(failure: Error): void {
    this.closed = true
    const fail = this.#fail
    this.#fail = undefined
    fail?.(failure)
  }

  /** Sends COM_QUIT. If a response is pending, destroys the socket instead, and the response fails. */
  close(): void {
    if (this.closed) return
    this.closed = true
    if (this.#handlePacket !== undefined) {
      this.#socket.destroy()
      return
    }
    this.#writer.sequence = 0
    this.#writer.send(Buffer.from([COMMAND.quit]))
    this.#socket.destroySoon()
  }

  /** Waits for one packet. */
  #receive(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#handlePacket = (payload) => {
        resolve(payload)
        return true
      }
    })
  }

  async logIn({ user, password, database }: StoreLogin): Promise<void> {
    const greeting = await this.#receive()
    if (greeting[0] === 0xff) throw readError(greeting)
    const fields = new Fields(greeting, 1)
    fields.word()
    fields.number(4)
    const challenge = Buffer.concat([fields.bytes(8), greeting.subarray(fields.at + 19, fields.at + 31)])
    const proof = toProof(password, challenge)
    const flags = CAPABILITIES | (database === undefined ? 0 : CAPABILITY.connectWithDatabase)
    this.#writer.send(
      Buffer.concat([
        toNumber(flags, 4),
        toNumber(0x100_0000, 4),
        toNumber(CHARSET, 1),
        Buffer.alloc(23),
        Buffer.from(`${user}\0`),
        toLength(proof.length),
        proof,
        Buffer.from(`${database === undefined ? '' : `${database}\0`}${NATIVE_PASSWORD}\0`),
      ]),
    )
    let answer = await this.#receive()
    if (answer[0] === 0xfe) {
      const retry = new Fields(answer, 1)
      retry.word()
      this.#writer.send(toProof(password, retry.bytes(20)))
      answer = await this.#receive()
    }
    if (answer[0] === 0xff) throw readError(answer)
  }

  #send(command: number, text: string): void {
    this.#writer.sequence = 0
    this.#writer.send(Buffer.concat([Buffer.from([command]), Buffer.from(text)]))
  }

  async ping(): Promise<void> {
    const answer = this.#receive()
    this.#send(COMMAND.ping, '')
    const payload = await answer
    if (payload[0] === 0xff) throw readError(payload)
  }

  query(sql: string): Promise<QueryResult[]> {
    if (this.closed) return Promise.reject(new CallFailure('reset', GONE_AWAY))
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#handlePacket = createResultHandler(resolve, reject)
      this.#send(COMMAND.query, sql)
    })
  }

  followLog(position: string, onLine: (line: string) => void, onEnd: (failure: Error) => void): void {
    this.#fail = onEnd
    this.#handlePacket = (payload) => {
      if (payload[0] === 0xff) onEnd(readError(payload))
      else onLine(payload.toString('latin1'))
      return false
    }
    this.#send(COMMAND.followLog, position)
  }
}

const createResultHandler = (
  resolve: (results: QueryResult[]) => void,
  reject: (error: MysqlError) => void,
): PacketHandler => {
  const results: QueryResult[] = []
  let columns: { name: string; type: number }[] = []
  let rows: (string | null)[][] = []
  let columnCount = 0
  let state: 'start' | 'columns' | 'rows' = 'start'
  const conclude = (result: QueryResult, status: number): boolean => {
    results.push(result)
    columns = []
    rows = []
    state = 'start'
    if ((status & MORE_RESULTS) !== 0) return false
    resolve(results)
    return true
  }
  const start = (payload: Buffer): boolean => {
    const fields = new Fields(payload)
    columnCount = fields.length() ?? 0
    if (columnCount > 0) state = 'columns'
    if (columnCount > 0) return false
    const affected = fields.length() ?? 0
    const lastId = fields.length() ?? 0
    return conclude({ columns, rows, affected, lastId }, fields.number(2))
  }
  return (payload) => {
    if (payload[0] === 0xff && (state !== 'columns' || columns.length === 0)) {
      reject(readError(payload))
      return true
    }
    if (state === 'start') return start(payload)
    if (state === 'columns') {
      if (columns.length < columnCount) columns.push(readColumn(payload))
      else state = 'rows'
      return false
    }
    if (isEnd(payload)) return conclude({ columns, rows, affected: 0, lastId: 0 }, payload.readUInt16LE(3))
    const fields = new Fields(payload)
    rows.push(columns.map(() => fields.text()))
    return false
  }
}

const readColumn = (payload: Buffer): { name: string; type: number } => {
  const fields = new Fields(payload)
  for (let skipped = 0; skipped < 4; skipped++) fields.text()
  const name = fields.text() ?? ''
  fields.text()
  fields.bytes(1 + 2 + 4)
  return { name, type: fields.number(1) }
}

/** Resolves when logged in. Rejects with a CallFailure, also if the signal aborts. */
export const openMysqlConnection = async (
  options: SocketOptions & Pick<StoreClientOptions, 'login'>,
  signal?: AbortSignal,
): Promise<MysqlConnection> => {
  const { login } = options
  const connection = new SocketConnection(await openSocket(options, signal))
  const onAbort = (): void => connection.close()
  signal?.addEventListener('abort', onAbort)
  try {
    await connection.logIn(login ?? { user: 'root', password: '' })
    return connection
  } catch (error) {
    connection.close()
    throw error instanceof MysqlError ? toFailure(error) : error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
