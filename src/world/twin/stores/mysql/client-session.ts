/** One client of a MySQL server without its socket: login, statements, and the records about them. */
import { toHost } from './accounts.ts'
import { accessDenied, MysqlError, toMysqlError, tooManyConnections } from './mysql-error.ts'
import type { MysqlServer } from './mysql-server.ts'
import { createChallenge, isProofValid } from './native-password.ts'
import { type Result, Session } from './session.ts'
import { parsePosition } from './storage/history.ts'
import { splitStatements, type Token, tokenise, toSql } from './tokens.ts'

/** Time limit for the login: a pending login occupies a connection. */
const LOGIN_TIMEOUT_MS = 10_000

/** Extra connections for users with the SUPER privilege, as in MySQL. Probes use them too. */
const SPARE_CONNECTIONS = 3

const HEARTBEAT_MS = 1_000

/** Number of pending logins that may exceed the connection limit. */
const MAX_PENDING_LOGINS = 256

export interface LoginRequest {
  readonly user: string
  /** Empty if the client selects no database. */
  readonly database: string
  readonly proof: Buffer
}

export type Outcome<T> = { readonly value: T } | { readonly error: MysqlError }

/** The outcome of one statement of a query text. */
export type StatementOutcome = Outcome<Result> & { readonly hasMore: boolean }

export class ClientSession {
  readonly challenge: Buffer
  readonly #server: MysqlServer
  readonly #session: Session
  readonly #cancelLoginTimeout: () => void
  #closed = false

  constructor(server: MysqlServer, id: number, address: string, end: () => void) {
    this.#server = server
    this.#session = new Session(server, id, toHost(address), end)
    this.challenge = createChallenge(server.host.random)
    this.#cancelLoginTimeout = server.host.time.after(LOGIN_TIMEOUT_MS, end)
    server.sessions.set(id, this.#session)
  }

  get id(): number {
    return this.#session.id
  }

  /** Must be called when the connection has closed. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#cancelLoginTimeout()
    this.#session.rollback()
    this.#server.sessions.delete(this.#session.id)
  }

  /** Returns the error if the login fails; the connection then ends. */
  async logIn(request: LoginRequest): Promise<MysqlError | undefined> {
    try {
      this.#admit(request)
      this.#cancelLoginTimeout()
      return undefined
    } catch (error) {
      const mysqlError = toMysqlError(error, request.database)
      await this.#server.log('Note', mysqlError.message)
      this.#server.options.onCommand('connect', 0, mysqlError.message)
      return mysqlError
    }
  }

  #admit({ user, database, proof }: LoginRequest): void {
    const { host } = this.#session
    const account = this.#server.storage.accounts.find(user, host)
    if (account === undefined || !isProofValid(proof, this.challenge, account.password))
      throw accessDenied(user, host, proof.length > 0)
    const { sessions, settings, storage } = this.#server
    const loggedIn = [...sessions.values()].filter((session) => session.user !== '').length
    const spare = storage.accounts.isAllowed(account, 'SUPER') ? SPARE_CONNECTIONS : 0
    if (loggedIn >= settings.maxConnections + spare) throw tooManyConnections()
    this.#session.logIn(account, user)
    if (database !== '') this.#session.use(database)
  }

  use(database: string): void {
    this.#session.use(database)
  }

  rollback(): void {
    this.#session.rollback()
  }

  /** Rejects with a MysqlError. */
  run(statement: readonly Token[]): Promise<Result> {
    if (this.#server.options.fails?.(statement[0]!.text.toUpperCase()) === true)
      throw new MysqlError(1105, 'HY000', 'Unknown error')
    return this.#session.run(statement)
  }

  /**
   * Runs the work, passes its outcome to `send`, and records the command. `send` returns the number of packets. Resolves with whether
   * the work succeeded.
   */
  async answer<T>(
    verb: string,
    sql: string,
    work: () => Promise<T>,
    send: (outcome: Outcome<T>) => number,
  ): Promise<boolean> {
    const { host, logs, options, settings } = this.#server
    const startedAt = this.#server.now()
    const startTime = host.time.monotonic()
    this.#session.statement = sql
    this.#session.since = startedAt
    const outcome = await this.#settle(work)
    // Statements of the pod's own probes are not logged: probes must not wait for the log.
    if (this.#session.host !== 'localhost') await logs.statement(this.#session.id, verb, sql)
    const durationMs = host.time.monotonic() - startTime
    const rows = send(outcome)
    this.#session.statement = undefined
    this.#session.since = this.#server.now()
    const failure =
      'error' in outcome
        ? `ERROR ${outcome.error.code} (${outcome.error.state}): ${outcome.error.message}`
        : undefined
    options.onCommand(verb, durationMs, failure)
    const { user, host: from, id: connectionId } = this.#session
    if (durationMs >= settings.longQueryTime * 1_000)
      await logs.slow({ user, host: from, connectionId, startedAt, durationMs, rows, sql })
    return failure === undefined
  }

  async #settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
    try {
      return { value: await work() }
    } catch (error) {
      return { error: toMysqlError(error, this.#session.database ?? '') }
    }
  }

  /** Runs the statements of a query text, up to the first that fails, and passes the outcome of each to `send`. */
  async query(sql: string, send: (outcome: StatementOutcome) => number): Promise<void> {
    let statements: readonly Token[][]
    try {
      statements = splitStatements(tokenise(sql))
      if (statements.length === 0) throw new MysqlError(1065, '42000', 'Query was empty')
    } catch (error) {
      const fail = (): Promise<Result> => Promise.reject(error)
      await this.answer('PARSE', sql, fail, (outcome) => send({ ...outcome, hasMore: false }))
      return
    }
    for (const [index, statement] of statements.entries()) {
      const hasMore = index < statements.length - 1
      const text = statements.length === 1 ? sql : toSql(statement)
      const verb = statement[0]!.text.toUpperCase()
      const sendOne = (outcome: Outcome<Result>): number => send({ ...outcome, hasMore })
      if (!(await this.answer(verb, text, async () => this.run(statement), sendOne))) return
    }
  }

  /** Checks that the client may follow the log; passes the error to `send` if not. */
  mayFollow(send: (outcome: Outcome<void>) => number): Promise<boolean> {
    const check = async (): Promise<void> => this.#session.requirePrivilege('REPLICATION SLAVE')
    return this.answer('FOLLOW', 'Binlog Dump GTID', check, send)
  }

  /** Sends the log from the position on, and heartbeats, which are empty lines. Resolves with a function that stops. */
  async followLog(position: string, send: (line: string) => void): Promise<() => void> {
    this.#session.statement = 'Binlog Dump GTID'
    const { time } = this.#server.host
    const unsubscribe = await this.#server.storage.subscribe(parsePosition(position), send)
    let cancelHeartbeat = (): void => undefined
    const beat = (): void => {
      cancelHeartbeat = time.after(HEARTBEAT_MS, () => {
        send('')
        beat()
      })
    }
    beat()
    return () => {
      cancelHeartbeat()
      unsubscribe()
    }
  }
}

/** Returns undefined if there are too many pending logins. The limit of connections is checked after the login. */
export const openClientSession = (
  server: MysqlServer,
  address: string,
  end: () => void,
): ClientSession | undefined => {
  if (server.sessions.size >= server.settings.maxConnections + MAX_PENDING_LOGINS) return undefined
  server.lastSessionId += 1
  return new ClientSession(server, server.lastSessionId, address, end)
}
