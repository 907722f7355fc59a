/**
 * What a MySQL server keeps: databases and accounts in memory, and the log of all that changed them on its volume. A
 * change is answered when the log has it; those that wait meanwhile go in together.
 */
import { join } from 'node:path'
import { type Journal, openJournal } from '../journal.ts'
import { Accounts } from './accounts.ts'
import { Databases, type Outcome } from './databases.ts'
import {
  type Beginning,
  type Change,
  type Entry,
  type Line,
  type Position,
  parseLine,
  RecentEntries,
  START,
  toEntry,
  toLine,
} from './history.ts'
import { MysqlError, toDiskError, toMysqlError } from './mysql-error.ts'

const LOCK_WAIT_MS = 50_000

/** From this size on the log is made anew when it has doubled. */
const REWRITE_BYTES = 16 * 1024 * 1024

/** Of data that are not whole. */
const PARTIAL: Position = { n: 0, chain: 'partial' }

interface Write {
  readonly database: string
  readonly sql: readonly string[]
  readonly done: (outcome: Outcome) => void
  readonly failed: (error: unknown) => void
}

/** Runs alone. */
type Exclusive = () => Promise<void>

type Job = Write | Exclusive

/** Several changes that go in together or not at all; all others wait. */
export interface Transaction {
  write(database: string, sql: readonly string[]): Outcome
  commit(): Promise<void>
  rollback(): void
}

export class Storage {
  readonly databases: Databases
  readonly accounts = new Accounts()
  position: Position = START
  readonly #recent = new RecentEntries()
  readonly #followers = new Set<(line: string) => void>()
  readonly #jobs: Job[] = []
  #journal: Journal | undefined
  #pumping: Promise<void> | undefined
  readonly #rewriteBytes: number
  #rewriteAt: number

  constructor(sqlite: typeof import('node:sqlite'), rewriteBytes = REWRITE_BYTES) {
    this.databases = new Databases(sqlite)
    this.#rewriteBytes = rewriteBytes
    this.#rewriteAt = rewriteBytes
  }

  /** Reads what the folder has; where that is nothing these are the first changes. */
  async open(folder: string | undefined, first: readonly Change[]): Promise<void> {
    if (folder !== undefined)
      this.#journal = await openJournal(join(folder, 'mysql-bin.000001'), (text) => this.#replay(text))
    if (this.position.n > 0) return
    for (const change of first) await this.change(change)
  }

  #replay(text: string): number {
    let at = 0
    for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
      this.restore(parseLine(text.slice(at, end)))
      at = end + 1
    }
    return at
  }

  /** Does what a line of a log says, without asking and without keeping it. */
  restore(line: Line): void {
    if ('beginning' in line) {
      this.databases.clear()
      this.#recent.clear()
      this.accounts.load(line.accounts)
      for (const name of line.databases) this.databases.create(name)
      this.position = line.beginning
    } else if ('load' in line) this.databases.write(line.load, line.sql)
    else if ('n' in line) this.#apply(line)
  }

  #apply(entry: Entry): void {
    this.databases.now = entry.time
    for (const change of entry.accounts ?? []) this.accounts.apply(change)
    if (entry.makeDatabase !== undefined) this.databases.create(entry.makeDatabase)
    if (entry.dropDatabase !== undefined && this.databases.has(entry.dropDatabase))
      this.databases.drop(entry.dropDatabase)
    if (entry.database !== undefined && entry.sql !== undefined)
      this.databases.write(entry.database, entry.sql)
    this.databases.now = 0
    this.#advance(entry, toLine(entry))
  }

  #advance(entry: Entry, line: string): void {
    this.position = { n: entry.n, chain: entry.chain }
    this.#recent.push(this.position, line)
    for (const follower of this.#followers) follower(line)
  }

  /** Statements on tables. Rejects with a MysqlError. */
  write(database: string, sql: readonly string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const at = this.#jobs.indexOf(job)
        if (at < 0) return
        this.#jobs.splice(at, 1)
        reject(new MysqlError(1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction'))
      }, LOCK_WAIT_MS)
      const job: Write = {
        database,
        sql,
        done: (outcome) => {
          clearTimeout(timer)
          resolve(outcome)
        },
        failed: (error) => {
          clearTimeout(timer)
          reject(toMysqlError(error, database))
        },
      }
      this.#add(job)
    })
  }

  /** Accounts and whole databases. Rejects with a MysqlError; `check` throws where it cannot be. */
  change(change: Change, check: () => void = () => undefined): Promise<void> {
    return this.exclusively(async () => {
      check()
      const entry = toEntry(change, this.position)
      await this.#append(toLine(entry))
      this.#apply(entry)
    })
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(() => work().then(resolve, reject))
    })
  }

  /** Resolves when nobody else changes anything. */
  begin(): Promise<Transaction> {
    return new Promise((resolve) => {
      this.#add(
        () =>
          new Promise((release) => {
            resolve(this.#transaction(release))
          }),
      )
    })
  }

  #transaction(release: () => void): Transaction {
    const time = Date.now()
    const changes: Change[] = []
    const begun = new Set<string>()
    const end = (how: string): void => {
      for (const name of begun) this.databases.control(name, how)
      release()
    }
    return {
      write: (database, sql) => {
        if (!begun.has(database)) this.databases.control(database, 'BEGIN')
        begun.add(database)
        const outcome = this.#tryWrite(database, sql, time)
        changes.push({ time, database, sql })
        return outcome
      },
      commit: async () => {
        try {
          await this.#commit(joined(changes))
          end('COMMIT')
        } catch (error) {
          end('ROLLBACK')
          throw error
        }
      },
      rollback: () => end('ROLLBACK'),
    }
  }

  #add(job: Job): void {
    this.#jobs.push(job)
    this.#pumping ??= this.#pump()
  }

  async #pump(): Promise<void> {
    await Promise.resolve()
    while (this.#jobs.length > 0) {
      const first = this.#jobs[0]!
      if (typeof first === 'function') {
        this.#jobs.shift()
        await first()
        continue
      }
      const end = this.#jobs.findIndex((job) => typeof job === 'function')
      await this.#writeTogether(this.#jobs.splice(0, end < 0 ? this.#jobs.length : end) as Write[])
    }
    this.#pumping = undefined
  }

  /** Throws what SQLite says; nothing of the statement is then left. */
  #tryWrite(database: string, sql: readonly string[], time: number): Outcome {
    this.databases.now = time
    this.databases.control(database, 'SAVEPOINT statement')
    try {
      const outcome = this.databases.write(database, sql)
      this.databases.control(database, 'RELEASE statement')
      return outcome
    } catch (error) {
      this.databases.control(database, 'ROLLBACK TO statement')
      this.databases.control(database, 'RELEASE statement')
      throw toMysqlError(error, database)
    } finally {
      this.databases.now = 0
    }
  }

  async #writeTogether(writes: readonly Write[]): Promise<void> {
    const time = Date.now()
    const begun = new Set<string>()
    const made: { readonly write: Write; readonly outcome: Outcome }[] = []
    for (const write of writes) {
      try {
        if (!begun.has(write.database)) this.databases.control(write.database, 'BEGIN')
        begun.add(write.database)
        made.push({ write, outcome: this.#tryWrite(write.database, write.sql, time) })
      } catch (error) {
        write.failed(error)
      }
    }
    try {
      await this.#commit(made.map(({ write: { database, sql } }) => ({ time, database, sql })))
      for (const name of begun) this.databases.control(name, 'COMMIT')
      for (const { write, outcome } of made) write.done(outcome)
    } catch (error) {
      for (const name of begun) this.databases.control(name, 'ROLLBACK')
      for (const { write } of made) write.failed(error)
    }
  }

  /** What was done is history when the log has it. */
  async #commit(changes: readonly Change[]): Promise<void> {
    let position = this.position
    const entries = changes.map((change) => {
      const entry = toEntry(change, position)
      position = entry
      return entry
    })
    const lines = entries.map(toLine)
    if (lines.length > 0) await this.#append(lines.join(''))
    for (const [at, entry] of entries.entries()) this.#advance(entry, lines[at]!)
  }

  async #append(text: string): Promise<void> {
    await this.#journal?.append(text).catch((error: unknown) => {
      throw toDiskError(error)
    })
    if (this.#journal !== undefined && this.#journal.size > this.#rewriteAt) this.#planRewrite()
  }

  #planRewrite(): void {
    this.#rewriteAt = Number.POSITIVE_INFINITY
    void this.exclusively(() => this.rewrite())
      .catch(() => undefined)
      .then(() => {
        this.#rewriteAt = Math.max(this.#rewriteBytes, 2 * (this.#journal?.size ?? 0))
      })
  }

  /** The log becomes what makes all this again. For those who run alone. */
  async rewrite(): Promise<void> {
    await this.#journal?.rewrite(() => this.dump())
  }

  *dump(): Iterable<string> {
    const databases = this.databases.names()
    yield toLine({ beginning: this.position, accounts: this.accounts.list(), databases })
    for (const name of databases)
      for (const sql of this.databases.dump(name)) yield toLine({ load: name, sql })
  }

  /** A change that was made elsewhere; it must be the very next one. */
  follow(entry: Entry): Promise<void> {
    return this.exclusively(async () => {
      if (
        entry.n !== this.position.n + 1 ||
        toEntry(withoutPlace(entry), this.position).chain !== entry.chain
      )
        throw new Error('what the leader sent does not follow from what is here')
      await this.#append(toLine(entry))
      this.#apply(entry)
    })
  }

  /** Becomes what a leader is, which tells it line by line. */
  rebuild(beginning: Beginning, next: () => Promise<Line>): Promise<void> {
    return this.exclusively(async () => {
      this.restore(beginning)
      // Should the leader be lost meanwhile, this is nothing to go on from.
      this.position = PARTIAL
      for (let line = await next(); !('complete' in line); line = await next()) this.restore(line)
      this.position = beginning.beginning
      await this.rewrite().catch((error: unknown) => {
        // The file is still that of before: nothing may be written behind it.
        this.position = PARTIAL
        throw toDiskError(error)
      })
    })
  }

  /** Gives what came after a position, or else everything, and then all that comes; resolves to what ends that. */
  feed(position: Position, send: (line: string) => void): Promise<() => void> {
    // Alone: what is half done is in the databases already, and not yet in the history.
    return this.exclusively(async () => {
      const missed = this.#recent.after(position, this.position)
      for (const line of missed ?? this.dump()) send(line)
      if (missed === undefined) send(toLine({ complete: true }))
      this.#followers.add(send)
      return () => this.#followers.delete(send)
    })
  }

  async close(): Promise<void> {
    await this.#pumping
    await this.#journal?.close()
  }
}

/** Those of one database are one entry: a sudden end leaves all of them or none. */
const joined = (changes: readonly Change[]): Change[] => {
  const all: (Change & { readonly sql: string[] })[] = []
  for (const change of changes) {
    const last = all.at(-1)
    if (last !== undefined && last.database === change.database) last.sql.push(...(change.sql ?? []))
    else all.push({ ...change, sql: [...(change.sql ?? [])] })
  }
  return all
}

const withoutPlace = ({ n: _n, chain: _chain, ...change }: Entry): Change => change
