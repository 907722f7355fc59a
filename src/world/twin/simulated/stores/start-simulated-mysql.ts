/** The MySQL server of a simulated container. */
import type { AcceptedConnection, ProgramHost } from '#spec'
import type { ListeningServer, StoreServerOptions } from '#world/twin/ports'
import type { MysqlResult, MysqlSession } from '#world/twin/stores'
import { openSimulatedMysqlConnection } from './create-simulated-mysql-client.ts'
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
import { connectToStore } from './store-link.ts'
import { serveStore } from './store-server.ts'

const { MysqlServer, openClientSession, sqlite, toQueryResult, tooManyConnections } = STORE_CORES.mysql

type Server = InstanceType<typeof MysqlServer>

/** The lines of the log that a follower has not yet fetched. */
class PendingLines {
  #lines: string[] = []
  #deliver: ((lines: readonly string[]) => void) | undefined

  push(line: string): void {
    this.#lines.push(line)
    if (this.#deliver === undefined) return
    this.#deliver(this.#lines)
    this.#deliver = undefined
    this.#lines = []
  }

  next(): Promise<readonly string[]> {
    const lines = this.#lines
    this.#lines = []
    if (lines.length > 0) return Promise.resolve(lines)
    return new Promise((resolve) => {
      this.#deliver = resolve
    })
  }
}

class MysqlConversation {
  readonly #server: Server
  readonly #session: MysqlSession | undefined
  readonly #end: () => void
  readonly #lines = new PendingLines()
  #stopFollowing: (() => void) | undefined

  /** `end` closes the connection after the answer. */
  constructor(server: Server, connection: AcceptedConnection, end: () => void) {
    this.#server = server
    this.#end = end
    this.#session = openClientSession(server, connection.from, () => connection.close())
    connection.onClose(() => {
      this.#stopFollowing?.()
      this.#session?.close()
    })
  }

  /** Rejects if the request is not a MySQL message. */
  async answer(content: unknown): Promise<object> {
    const session = this.#session
    if (session === undefined) {
      this.#end()
      return new MysqlFailure(tooManyConnections())
    }
    if (content instanceof MysqlHello) return new MysqlGreeting(session.challenge)
    if (content instanceof MysqlLogin) return this.#logIn(session, content)
    this.#server.questions += 1
    if (content instanceof MysqlQuery) return this.#query(session, content.sql)
    if (content instanceof MysqlPing) return new MysqlOk()
    if (content instanceof MysqlFollow) return this.#follow(session, content.position)
    if (content instanceof MysqlNextLines) return new MysqlLines(await this.#lines.next())
    void this.#server.log('Warning', 'Got an error reading communication packets: malformed packet')
    throw new Error('the request is not a MySQL message')
  }

  async #logIn(session: MysqlSession, login: MysqlLogin): Promise<object> {
    const error = await session.logIn(login)
    if (error === undefined) return new MysqlOk()
    this.#end()
    return new MysqlFailure(error)
  }

  async #query(session: MysqlSession, sql: string): Promise<object> {
    const results: MysqlResult[] = []
    let failure: MysqlFailure | undefined
    await session.query(sql, (outcome) => {
      if ('error' in outcome) {
        failure = new MysqlFailure(outcome.error)
        return 1
      }
      const result = toQueryResult(outcome.value)
      results.push(result)
      return result.columns.length === 0 ? 1 : result.columns.length + result.rows.length + 3
    })
    return failure ?? new MysqlResults(results)
  }

  async #follow(session: MysqlSession, position: string): Promise<object> {
    let failure: MysqlFailure | undefined
    await session.mayFollow((outcome) => {
      if ('error' in outcome) failure = new MysqlFailure(outcome.error)
      return 0
    })
    if (failure !== undefined) {
      this.#end()
      return failure
    }
    this.#stopFollowing = await session.followLog(position, (line) => this.#lines.push(line))
    return new MysqlLines(await this.#lines.next())
  }
}

/** Answers like `startMysqlServer`, without prepared statements, which the clients of the twin do not use. */
export const startSimulatedMysql = async (
  host: ProgramHost,
  options: StoreServerOptions,
): Promise<ListeningServer> => {
  const server = new MysqlServer(options, {
    sqlite,
    host,
    openLeader: async (leader, signal) =>
      openSimulatedMysqlConnection(await connectToStore(host, leader, signal), leader.login, signal),
  })
  await server.open()
  const listening = serveStore(host, options, {
    port: options.port,
    close: () => server.storage.close(),
    accept: (connection) => {
      const end = (): void => void host.time.after(0, () => connection.close())
      const conversation = new MysqlConversation(server, connection, end)
      return async ({ content }) => toMysqlMessage(await conversation.answer(content))
    },
  })
  await server.announce()
  return {
    port: listening.port,
    close: async (graceMs) => {
      await server.follower?.stop()
      await listening.close(graceMs)
    },
  }
}
