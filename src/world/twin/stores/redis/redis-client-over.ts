/** The Redis client of a twin, over any kind of connection. */
import { CallFailure, type StoreClient, type StoreClientOptions, type StoreLogin } from '#world/twin/ports'
import { ConnectionPool, type PooledConnection } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'
import { RedisError, type Reply, Status } from './resp.ts'

/** A connection to a Redis server; commands are answered in order. */
export interface RedisConnection extends PooledConnection {
  /** Rejects with a CallFailure if the connection is lost. */
  send(words: readonly (string | number)[]): Promise<Reply>
}

const toFailure = ({ message }: RedisError): CallFailure =>
  new CallFailure(/^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)/.test(message) ? 'login' : 'answer', message)

const toPlain = (reply: Reply): unknown => {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1').toString('utf8')
  if (reply instanceof Status) return reply.text
  if (reply instanceof RedisError) throw toFailure(reply)
  return Array.isArray(reply) ? reply.map(toPlain) : reply
}

/** Encodes text as UTF-8 with one character per byte, as commands require. */
export const toByteString = (word: string | number): string =>
  Buffer.from(String(word), 'utf8').toString('latin1')

/** The messages for failures of a connection. */
export const CLOSED_BY_SERVER = 'Redis closed the connection'
export const CLOSED_BY_CLIENT = 'the connection to Redis is closed'

/** Closes the connection and rejects with a CallFailure of kind `login` if the password is rejected. */
export const logIn = async <C extends RedisConnection>(
  connection: C,
  login: StoreLogin | undefined,
): Promise<C> => {
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

/** `open` resolves with a connection that is logged in. */
export const createClientOver = (
  options: StoreClientOptions,
  { time }: Pick<StoreHost, 'time'>,
  open: () => Promise<RedisConnection>,
): StoreClient => {
  const pool = new ConnectionPool(options, time, open)
  return {
    query: ({ redis }, timeoutMs) => {
      if (redis === undefined)
        return Promise.reject(new CallFailure('answer', 'the Redis client supports only Redis commands'))
      return pool.use(async (connection) => toPlain(await connection.send(redis)), timeoutMs)
    },
    close: () => pool.close(),
  }
}
