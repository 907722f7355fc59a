/** A client connection to a MongoDB server; commands are answered in order. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import type { PooledConnection } from '../connection-pool.ts'
import { openSocket, type SocketOptions } from '../open-socket.ts'
import { Binary, type Document } from './bson.ts'
import { createScramClient, type Mechanism } from './scram.ts'
import { createMessageReader, toMessage } from './wire-message.ts'

const UNAUTHORIZED = 13
const AUTHENTICATION_FAILED = 18

const toFailure = ({ code, errmsg, codeName }: Document): CallFailure =>
  new CallFailure(
    code === UNAUTHORIZED || code === AUTHENTICATION_FAILED ? 'login' : 'answer',
    codeName ? `${codeName}: ${errmsg}` : String(errmsg),
  )

export class MongoConnection implements PooledConnection {
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
    socket.once('close', () => this.#end(new CallFailure('reset', 'MongoDB closed the connection')))
  }

  /**
   * Resolves with the reply. Rejects with a CallFailure; its kind is `login` if the command is not
   * authorised.
   */
  async run(database: string, command: Document): Promise<Document> {
    const reply = await this.#send({ ...command, $db: database })
    if (reply.ok !== 1) throw toFailure(reply)
    if (reply.writeErrors?.length > 0) throw toFailure(reply.writeErrors[0])
    return reply
  }

  async authenticate(user: string, password: string, database: string): Promise<void> {
    const { saslSupportedMechs = [] } = await this.run('admin', {
      hello: 1,
      saslSupportedMechs: `${database}.${user}`,
    })
    const mechanism: Mechanism = saslSupportedMechs.includes('SCRAM-SHA-256')
      ? 'SCRAM-SHA-256'
      : 'SCRAM-SHA-1'
    const scram = createScramClient(mechanism, user, password)
    const { conversationId, payload } = await this.run(database, {
      saslStart: 1,
      mechanism,
      payload: new Binary(Buffer.from(scram.first)),
      options: { skipEmptyExchange: true },
    })
    const { message, expected } = await scram.finish(payload.bytes.toString())
    const last = await this.run(database, {
      saslContinue: 1,
      conversationId,
      payload: new Binary(Buffer.from(message)),
    })
    if (last.payload.bytes.toString() !== expected)
      throw new CallFailure('login', 'the server sent an invalid signature')
  }

  close(): void {
    this.closed = true
    this.#socket.destroy()
  }

  #send(body: Document): Promise<Document> {
    if (this.closed) return Promise.reject(new CallFailure('reset', 'the connection to MongoDB is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(toMessage(++this.#requests, 0, body))
    })
  }

  #end(failure: CallFailure): void {
    this.closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(failure)
  }
}

/** Rejects with a CallFailure. The authentication database is `admin` by default. */
export const openMongoConnection = async (
  options: SocketOptions & Pick<StoreClientOptions, 'login'>,
  authenticationDatabase = 'admin',
): Promise<MongoConnection> => {
  const { login } = options
  const connection = new MongoConnection(await openSocket(options))
  try {
    if (login && login.user !== '')
      await connection.authenticate(login.user, login.password, authenticationDatabase)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
