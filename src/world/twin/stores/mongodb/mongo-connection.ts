/** A connection to a MongoDB server, over any transport; commands are answered in order. */
import { CallFailure, type StoreLogin } from '#world/twin/ports'
import type { PooledConnection } from '../connection-pool.ts'
import { Binary, type Document } from './bson.ts'
import { createScramClient, type Mechanism, type ScramSource } from './scram.ts'

const UNAUTHORIZED = 13
const AUTHENTICATION_FAILED = 18

/** The messages for failures of a connection. */
export const CLOSED_BY_SERVER = 'MongoDB closed the connection'
export const CLOSED_BY_CLIENT = 'the connection to MongoDB is closed'

export interface MongoTransport extends PooledConnection {
  /** Resolves with the reply. Rejects with a CallFailure if the connection is lost. */
  send(body: Document): Promise<Document>
}

const toFailure = ({ code, errmsg, codeName }: Document): CallFailure =>
  new CallFailure(
    code === UNAUTHORIZED || code === AUTHENTICATION_FAILED ? 'login' : 'answer',
    codeName ? `${codeName}: ${errmsg}` : String(errmsg),
  )

export class MongoConnection implements PooledConnection {
  readonly #transport: MongoTransport
  readonly #scram: ScramSource

  constructor(transport: MongoTransport, scram: ScramSource) {
    this.#transport = transport
    this.#scram = scram
  }

  get closed(): boolean {
    return this.#transport.closed
  }

  close(): void {
    this.#transport.close()
  }

  /**
   * Resolves with the reply. Rejects with a CallFailure; its kind is `login` if the command is not
   * authorised.
   */
  async run(database: string, command: Document): Promise<Document> {
    const reply = await this.#transport.send({ ...command, $db: database })
    if (reply.ok !== 1) throw toFailure(reply)
    if (reply.writeErrors?.length > 0) throw toFailure(reply.writeErrors[0])
    return reply
  }

  /** Closes the connection and rejects with a CallFailure if the login fails. */
  async logIn(login: StoreLogin | undefined, authenticationDatabase = 'admin'): Promise<this> {
    try {
      if (login && login.user !== '')
        await this.authenticate(login.user, login.password, authenticationDatabase)
      return this
    } catch (error) {
      this.close()
      throw error
    }
  }

  async authenticate(user: string, password: string, database: string): Promise<void> {
    const { saslSupportedMechs = [] } = await this.run('admin', {
      hello: 1,
      saslSupportedMechs: `${database}.${user}`,
    })
    const mechanism: Mechanism = saslSupportedMechs.includes('SCRAM-SHA-256')
      ? 'SCRAM-SHA-256'
      : 'SCRAM-SHA-1'
    const scram = createScramClient(this.#scram, mechanism, user, password)
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
}
