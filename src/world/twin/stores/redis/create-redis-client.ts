/** The Redis client of a twin over sockets. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClient, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { openSocket, type SocketOptions } from '../open-socket.ts'
import { processHost } from '../process-host.ts'
import {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createClientOver,
  logIn,
  type RedisConnection,
  toByteString,
} from './redis-client-over.ts'
import { encodeCommand, type Reply, RespReader } from './resp.ts'

class SocketConnection implements RedisConnection {
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
    socket.once('close', () => this.#end(new CallFailure('reset', CLOSED_BY_SERVER)))
  }

  send(words: readonly (string | number)[]): Promise<Reply> {
    if (this.closed) return Promise.reject(new CallFailure('reset', CLOSED_BY_CLIENT))
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
): Promise<RedisConnection> => logIn(new SocketConnection(await openSocket(options)), options.login)

export const createRedisClient = (options: StoreClientOptions): StoreClient =>
  createClientOver(options, processHost, () => openRedisConnection(options))
