/** The Redis client of a twin. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClient, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { ConnectionPool, openSocket, type PooledConnection, type SocketOptions } from '../connection-pool.ts'
import { encodeCommand, RedisError, type Reply, RespReader, Status } from './resp.ts'

const toFailure = ({ message }: RedisError): CallFailure =>
  new CallFailure(/^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)/.test(message) ? 'login' : 'answer', message)

/** Encodes text as UTF-8 with one character per byte, as `encodeCommand` requires. */
const toByteString = (word: string | number): string => Buffer.from(String(word), 'utf8').toString('latin1')

const toPlain = (reply: Reply): unknown => {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1').toString('utf8')
  if (reply instanceof Status) return reply.text
  if (reply instanceof RedisError) throw toFailure(reply)
  return Array.isArray(reply) ? reply.map(toPlain) : reply
}

/** A connection to a Redis server; commands are answered in order. */
export class RedisConnection implements PooledConnection {
  closed = false
  readonly #socket: Socket
  readonly #reader = new RespReader()
  readonly #waiting: { resolve(reply: Reply): void; reject(failure: CallFailure): void }[] = []

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      try {
        this.#reader.push(chunk)
        for (let reply = this.#reader.next(); reply !== undefined; reply = this.#reader.next())
          this.#waiting.shift()?.resolve(reply)
      } catch (error) {
        this.#end(new CallFailure('reset', (error as Error).message.replace(/^ERR /, '')))
        socket.destroy()
      }
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', 'Redis closed the connection')))
  }

  send(words: readonly (string | number)[]): Promise<Reply> {
    if (this.closed) return Promise.reject(new CallFailure('reset', 'the connection to Redis is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(encodeCommand(words.map(toByteString)), 'latin1')
    })
  }

  close(): void {
    this.closed = true
    this.#socket.destroy()
  }

  #end(failure: CallFailure): void {
    this.closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(failure)
  }
}

/** Rejects with a CallFailure; its kind is `login` if the password is rejected. */
export const openRedisConnection = async (
  options: SocketOptions & Pick<StoreClientOptions, 'login'>,
): Promise<RedisConnection> => {
  const { login } = options
  const connection = new RedisConnection(await openSocket(options))
  if (login === undefined) return connection
  try {
    const user = login.user === '' ? [] : [login.user]
    const reply = await connection.send(['AUTH', ...user, login.password])
    if (reply instanceof RedisError) throw toFailure(reply)
    if (login.database !== undefined) toPlain(await connection.send(['SELECT', login.database]))
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

export const createRedisClient = (options: StoreClientOptions): StoreClient => {
  const pool = new ConnectionPool(options, () => openRedisConnection(options))
  return {
    query: ({ redis }, timeoutMs) => {
      if (redis === undefined)
        return Promise.reject(new CallFailure('answer', 'the Redis client supports only Redis commands'))
      return pool.use(async (connection) => toPlain(await connection.send(redis)), timeoutMs)
    },
    close: () => pool.close(),
  }
}
