/** The session of one client of a MySQL server: its account, and the execution of its statements. */
import { sleep } from '#world/twin/ports'
import { readAccountChanges } from './account-statements.ts'
import type { Account } from './accounts.ts'
import type { Rows } from './databases.ts'
import { databaseDenied, MysqlError, syntaxError, toMysqlError, unknownDatabase } from './mysql-error.ts'
import type { MysqlServer, SessionInfo } from './mysql-server.ts'
import { runReplicationStatement } from './replication-statements.ts'
import { VERSION } from './settings.ts'
import { describeTable, runShow, toTable } from './show.ts'
import type { Transaction } from './storage/database-writer.ts'
import { isSystemDatabase, readSystemTable } from './system-tables.ts'
import { isSign, isWord, type Token, toSql } from './tokens.ts'
import type { StatementContext } from './translate-expressions.ts'
import { type Translation, translateStatement } from './translate-statement.ts'

export interface WriteResult {
  readonly affected: number
  readonly lastId: number
}

export type Result = Rows | WriteResult

const NO_CHANGES: WriteResult = { affected: 0, lastId: 0 }

/** Statements that are accepted without effect. */
const IGNORED_STATEMENTS = ['FLUSH', 'LOCK', 'UNLOCK', 'ANALYZE', 'OPTIMIZE', 'INSTALL']

export class Session implements SessionInfo {
  readonly id: number
  readonly host: string
  user = ''
  database: string | undefined
  statement: string | undefined
  since: number
  readonly end: () => void
  readonly #server: MysqlServer
  #accountHost = '%'
  #accountUser = ''
  #lastInsertId = 0
  #autocommit = true
  #inTransaction = false
  #transaction: Transaction | undefined

  constructor(server: MysqlServer, id: number, host: string, end: () => void) {
    this.#server = server
    this.id = id
    this.host = host
    this.end = end
    this.since = server.now()
  }

  logIn(account: Account, user: string): void {
    this.user = user
    this.#accountUser = account.user
    this.#accountHost = account.host
  }

  get #storage() {
    return this.#server.storage
  }

  /** Checks the current grants, which may have changed since the login. */
  #hasPrivilege(privilege: string, database?: string, table?: string): boolean {
    const account = this.#storage.accounts.findExact(this.#accountUser, this.#accountHost)
    return account !== undefined && this.#storage.accounts.isAllowed(account, privilege, database, table)
  }

  requirePrivilege(privilege: string): void {
    if (!this.#hasPrivilege(privilege))
      throw new MysqlError(
        1227,
        '42000',
        `Access denied; you need (at least one of) the ${privilege} privilege(s) for this operation`,
      )
  }

  use(database: string): void {
    const account = this.#storage.accounts.findExact(this.#accountUser, this.#accountHost)
    const isSystem = isSystemDatabase(database)
    if (account === undefined || !(isSystem || this.#storage.accounts.canUse(account, database)))
      throw databaseDenied(this.user, this.#accountHost, database)
    if (!isSystem && !this.#storage.databases.has(database)) throw unknownDatabase(database)
    this.database = database
  }

  /** Rejects with a MysqlError. */
  async run(tokens: readonly Token[]): Promise<Result> {
    try {
      return await this.#dispatch(tokens)
    } catch (error) {
      throw toMysqlError(error, this.database ?? '')
    }
  }

  async #dispatch(tokens: readonly Token[]): Promise<Result> {
    const accounts = readAccountChanges(tokens, this.database)
    if (accounts !== undefined) {
      this.requirePrivilege('CREATE USER')
      this.#checkWritable(undefined)
      await this.#storage.change({ time: this.#server.now(), accounts }, () => {
        // Each change is checked alone, unless the first one creates the user for the others.
        if (!('create' in accounts[0]!) || accounts.length === 1)
          for (const change of accounts) this.#storage.accounts.check(change)
      })
      return NO_CHANGES
    }
    const replicationResult = await runReplicationStatement(this.#server, tokens, () =>
      this.requirePrivilege('SUPER'),
    )
    if (replicationResult !== undefined) return replicationResult
    const verb = tokens[0]!.text.toUpperCase()
    if (isWord(tokens[1], 'DATABASE', 'SCHEMA') && isWord(tokens[0], 'CREATE', 'DROP'))
      return this.#changeDatabase(verb, tokens)
    if (verb === 'USE') this.use(tokens[1]?.text ?? '')
    else if (verb === 'SET') this.#set(tokens.slice(1))
    else if (verb === 'SHOW') return runShow(this.#server, this, tokens)
    else if (verb === 'CHECK' && isWord(tokens[1], 'TABLE')) return this.#checkTable(tokens)
    else if (verb === 'KILL') this.#kill(tokens)
    else if (verb === 'BEGIN' || (verb === 'START' && isWord(tokens[1], 'TRANSACTION'))) await this.#begin()
    else if (verb === 'COMMIT') await this.#commit()
    else if (verb === 'ROLLBACK') this.rollback()
    else if (['DESC', 'DESCRIBE', 'EXPLAIN'].includes(verb) && tokens.length === 2)
      return describeTable(this.#server, this.#requireDatabase(), tokens[1]!.text)
    else if (!IGNORED_STATEMENTS.includes(verb)) return this.#query(tokens)
    return NO_CHANGES
  }

  #requireDatabase(): string {
    if (this.database === undefined) throw new MysqlError(1046, '3D000', 'No database selected')
    return this.database
  }

  async #changeDatabase(verb: string, tokens: readonly Token[]): Promise<Result> {
    const lenient = isWord(tokens[2], 'IF')
    const name = tokens[lenient ? (verb === 'CREATE' ? 5 : 4) : 2]?.text
    if (name === undefined) throw syntaxError('')
    if (!this.#hasPrivilege(verb, name)) throw databaseDenied(this.user, this.#accountHost, name)
    this.#checkWritable(undefined)
    const exists = this.#storage.databases.has(name)
    if (lenient && exists === (verb === 'CREATE')) return NO_CHANGES
    if (verb === 'CREATE' && exists)
      throw new MysqlError(1007, 'HY000', `Can't create database '${name}'; database exists`)
    if (verb === 'DROP' && !exists)
      throw new MysqlError(1008, 'HY000', `Can't drop database '${name}'; database doesn't exist`)
    const time = this.#server.now()
    await this.#storage.change(
      verb === 'CREATE' ? { time, createDatabase: name } : { time, dropDatabase: name },
    )
    if (verb === 'DROP' && this.database === name) this.database = undefined
    return { affected: 1, lastId: 0 }
  }

  /** Runs `SET GLOBAL a = 1, @@session.b = 2, autocommit = 0, NAMES utf8`. */
  #set(tokens: readonly Token[]): void {
    let isGlobal = false
    for (const [at, token] of tokens.entries()) {
      if (isWord(token, 'GLOBAL')) isGlobal = true
      if (isWord(token, 'SESSION', 'LOCAL')) isGlobal = false
      if (!isSign(token, '=') && !isSign(token, ':=')) continue
      const name = (tokens[at - 1]?.text ?? '').toLowerCase()
      const value = tokens[at + 1]?.text ?? ''
      if (isGlobal || name.startsWith('@@global.')) {
        this.requirePrivilege('SUPER')
        this.#server.settings.change(name.replace('@@global.', ''), value)
      } else if (name.replace(/^@@(session\.)?/, '') === 'autocommit')
        this.#autocommit = /^(1|on|true)$/i.test(value)
    }
  }

  /** Checks the file of all tables. */
  async #checkTable(tokens: readonly Token[]): Promise<Rows> {
    const isIntact = await this.#storage.isIntact()
    const name = tokens.slice(2).map(({ text }) => text)
    return toTable(
      ['Table', 'Op', 'Msg_type', 'Msg_text'],
      [[name.join(''), 'check', isIntact ? 'status' : 'error', isIntact ? 'OK' : 'Corrupt']],
    )
  }

  #kill(tokens: readonly Token[]): void {
    const id = Number(tokens.at(-1)?.text)
    const session = this.#server.sessions.get(id)
    if (session === undefined) throw new MysqlError(1094, 'HY000', `Unknown thread id: ${id}`)
    if (session.user !== this.user) this.requirePrivilege('SUPER')
    session.end()
  }

  async #begin(): Promise<void> {
    await this.#commit()
    this.#inTransaction = true
  }

  async #commit(): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = undefined
    this.#inTransaction = false
    await transaction?.commit()
  }

  rollback(): void {
    this.#transaction?.rollback()
    this.#transaction = undefined
    this.#inTransaction = false
  }

  get #context(): StatementContext {
    return {
      user: `${this.user}@${this.host}`,
      database: this.database,
      connectionId: this.id,
      lastInsertId: this.#lastInsertId,
      version: VERSION,
      random: () => this.#server.host.random.next(),
      variable: (name) => this.#server.settings.read(name),
    }
  }

  async #query(tokens: readonly Token[]): Promise<Result> {
    const isDatabase = (name: string): boolean => isSystemDatabase(name) || this.#storage.databases.has(name)
    const statement = translateStatement(tokens, this.#context, isDatabase)
    if (statement === undefined) throw syntaxError(toSql(tokens).slice(0, 80))
    if (statement.delayMs > 0) await sleep(this.#server.host.time, statement.delayMs)
    if (statement.table === undefined && !statement.writes)
      return this.#storage.databases.read(undefined, statement.sql[0]!)
    const database = statement.database ?? this.#requireDatabase()
    if (isSystemDatabase(database)) return readSystemTable(this.#server, database, statement.sql[0]!)
    this.#checkPrivilege(statement, database)
    if (!statement.writes) return this.#read(database, statement.sql[0]!)
    this.#checkWritable(database)
    return this.#write(statement, database)
  }

  #read(database: string, sql: string): Rows {
    try {
      return this.#storage.databases.read(database, sql)
    } catch (error) {
      throw toMysqlError(error, database)
    }
  }

  #checkPrivilege({ privilege, table }: Translation, database: string): void {
    if (this.#hasPrivilege(privilege, database, table)) return
    throw new MysqlError(
      1142,
      '42000',
      `${privilege} command denied to user '${this.user}'@'${this.host}' for table '${table ?? ''}'`,
    )
  }

  #checkWritable(database: string | undefined): void {
    const { readOnly, superReadOnly } = this.#server.settings
    if (database !== undefined && !this.#storage.databases.has(database)) throw unknownDatabase(database)
    const isFollowing = this.#server.follower?.running === true
    if (!readOnly && !isFollowing) return
    if (!superReadOnly && !isFollowing && this.#hasPrivilege('SUPER')) return
    const option = superReadOnly || isFollowing ? '--super-read-only' : '--read-only'
    throw new MysqlError(
      1290,
      'HY000',
      `The MySQL server is running with the ${option} option so it cannot execute this statement`,
    )
  }

  async #write({ sql }: Translation, database: string): Promise<WriteResult> {
    if (this.#autocommit && !this.#inTransaction)
      return this.#recordLastInsertId(await this.#storage.write(database, sql))
    this.#transaction ??= await this.#storage.begin()
    return this.#recordLastInsertId(this.#transaction.write(database, sql))
  }

  #recordLastInsertId(result: WriteResult): WriteResult {
    if (result.lastId > 0) this.#lastInsertId = result.lastId
    return result
  }
}
