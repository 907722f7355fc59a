/** Opens a connection to a MongoDB server over a socket. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { openSocket, type SocketOptions } from '../open-socket.ts'
import type { Document } from './bson.ts'
import {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  MongoConnection,
  type MongoTransport,
} from './mongo-connection.ts'
import { processScram } from './process-scram.ts'
import { createMessageReader, toMessage } from './wire-message.ts'

class SocketTransport implements MongoTransport {
  closed = false
  readonly #socket: Socket
  readonly #waiting: { resolve(reply: Document): void; reject(failure: CallFailure): void }[] = []
  #requests = 0

  constructor(socket: Socket) {
    this.#socket = socket
    const read = createMessageReader()
    socket.on('data', (chunk) => {
      try {
        for (const { body } of read(chunk)) this.#waiting.shift()?.resolve(body)
      } catch (error) {
        this.#end(new CallFailure('reset', `malformed reply from MongoDB: ${(error as Error).message}`))
        socket.destroy()
      }
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', CLOSED_BY_SERVER)))
  }

  send(body: Document): Promise<Document> {
    if (this.closed) return Promise.reject(new CallFailure('reset', CLOSED_BY_CLIENT))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(toMessage(++this.#requests, 0, body))
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

/** Rejects with a CallFailure. The authentication database is `admin` by default. */
export const openMongoConnection = async (
  options: SocketOptions & Pick<StoreClientOptions, 'login'>,
  authenticationDatabase?: string,
): Promise<MongoConnection> => {
  const transport = new SocketTransport(await openSocket(options))
  return new MongoConnection(transport, processScram).logIn(options.login, authenticationDatabase)
}
