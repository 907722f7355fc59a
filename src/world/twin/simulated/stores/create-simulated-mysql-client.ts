/** The MySQL client of a simulated program. */
import type { ProgramConnection, ProgramHost } from '#spec'
import { CallFailure, type StoreClient, type StoreClientOptions, type StoreLogin } from '#world/twin/ports'
import type { MysqlConnection, MysqlResult } from '#world/twin/stores'
import {
  MysqlFailure,
  MysqlFollow,
  MysqlGreeting,
  MysqlHello,
  MysqlLines,
  MysqlLogin,
  MysqlNextLines,
  MysqlOk,
  MysqlPing,
  MysqlQuery,
  MysqlResults,
  toMysqlMessage,
} from './mysql-content.ts'
import { STORE_CORES } from './store-cores.ts'
import { connectToStore, StoreLink } from './store-link.ts'

const { createClientOver, GONE_AWAY, LOST_CONNECTION, MysqlError, toFailure, toProof } = STORE_CORES.mysql

const LINK_TEXTS = { closedByServer: LOST_CONNECTION, closedByClient: GONE_AWAY }

const createMalformed = (): CallFailure =>
  new CallFailure('reset', 'Malformed communication packet: unexpected answer')

class SimulatedMysqlConnection extends StoreLink implements MysqlConnection {
  /** Rejects with a MysqlError if the server answers with one. */
  async #request<T extends object>(content: object, expected: new (...values: never[]) => T): Promise<T> {
    const answer = await this.exchange(toMysqlMessage(content))
    if (answer instanceof expected) return answer
    if (answer instanceof MysqlFailure) throw answer.error
    this.close()
    throw createMalformed()
  }

  async logIn({ user, password, database = '' }: StoreLogin): Promise<void> {
    const { challenge } = await this.#request(new MysqlHello(), MysqlGreeting)
    await this.#request(new MysqlLogin(user, database, toProof(password, challenge)), MysqlOk)
  }

  async query(sql: string): Promise<MysqlResult[]> {
    return [...(await this.#request(new MysqlQuery(sql), MysqlResults)).results]
  }

  async ping(): Promise<void> {
    await this.#request(new MysqlPing(), MysqlOk)
  }

  followLog(position: string, onLine: (line: string) => void, onEnd: (failure: Error) => void): void {
    const fetchLines = async (): Promise<never> => {
      for (let request: object = new MysqlFollow(position); ; request = new MysqlNextLines())
        for (const line of (await this.#request(request, MysqlLines)).lines) onLine(line)
    }
    fetchLines().catch(onEnd)
  }
}

/** Logs in over a connection, and sends statements over it. Rejects with a CallFailure, also if the signal aborts. */
export const openSimulatedMysqlConnection = async (
  connection: ProgramConnection,
  login: StoreLogin = { user: 'root', password: '' },
  signal?: AbortSignal,
): Promise<MysqlConnection> => {
  const opened = new SimulatedMysqlConnection(connection, LINK_TEXTS)
  const close = (): void => opened.close()
  signal?.addEventListener('abort', close)
  try {
    await opened.logIn(login)
    return opened
  } catch (error) {
    opened.close()
    throw error instanceof MysqlError ? toFailure(error) : error
  } finally {
    signal?.removeEventListener('abort', close)
  }
}

/** Behaves like `createMysqlClient`. */
export const createSimulatedMysqlClient = (host: ProgramHost, options: StoreClientOptions): StoreClient =>
  createClientOver(options, host, async () =>
    openSimulatedMysqlConnection(await connectToStore(host, options), options.login),
  )
