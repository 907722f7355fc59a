/**
 * The data of a MySQL server: databases and accounts in memory, and the log of their changes on the volume. A
 * change is answered when the log contains it; concurrent changes are logged together.
 */
import { join } from 'node:path'
import { type Journal, openJournal } from '../journal.ts'
import type { StoreHost } from '../store-host.ts'
import { Accounts } from './accounts.ts'
import { Databases, type Outcome } from './databases.ts'
import {
  type Change,
  type Entry,
  type Line,
  type Position,
  parseLine,
  RecentEntries,
  type SnapshotStart,
  START,
  toEntry,
  toLine,
} from './history.ts'
import { MysqlError, toDiskError, toMysqlError } from './mysql-error.ts'

const LOCK_WAIT_MS = 50_000

/** A larger log is rewritten each time its size has doubled. */
const REWRITE_BYTES = 16 * 1024 * 1024

/** The position of incomplete data. */
const PARTIAL: Position = { n: 0, chain: 'partial' }

interface Write {
  readonly database: string
  readonly sql: readonly string[]
  readonly done: (outcome: Outcome) => void
  readonly failed: (error: unknown) => void
}

/** A job that runs alone. */
type Exclusive = () => Promise<void>

type Job = Write | Exclusive

/** Changes that apply together or not at all; other writers wait. */
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
  #running: Promise<void> | undefined
  readonly #host: StoreHost
  readonly #rewriteBytes: number
  #rewriteAt: number

  constructor(sqlite: typeof import('node:sqlite'), host: StoreHost, rewriteBytes = REWRITE_BYTES) {
    this.#host = host
    this.databases = new Databases(sqlite, () => this.now())
    this.#rewriteBytes = rewriteBytes
    this.#rewriteAt = rewriteBytes
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return Math.floor(this.#host.time.now())
  }

  /** Replays the log of the folder; an empty one starts with `initialChanges`. */
  async open(folder: string | undefined, initialChanges: readonly Change[]): Promise<void> {
    if (folder !== undefined)
      this.#journal = await openJournal(this.#host, join(folder, 'mysql-bin.000001'), (text) =>
        this.#replay(text),
      )
    if (this.position.n > 0) return
    for (const change of initialChanges) await this.change(change)
  }

  #replay(text: string): number {
    let at = 0
    for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
      this.restore(parseLine(text.slice(at, end)))
      at = end + 1
    }
    return at
  }

  /** Applies a line of a log without checks and without logging it. */
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
    if (entry.createDatabase !== undefined) this.databases.create(entry.createDatabase)
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

  /** Runs statements on tables. Rejects with a MysqlError. */
  write(database: string, sql: readonly string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#host.time.after(LOCK_WAIT_MS, () => {
        const at = this.#jobs.indexOf(job)
        if (at < 0) return
        this.#jobs.splice(at, 1)
        reject(new MysqlError(1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction'))
      })
      const job: Write = {
        database,
        sql,
        done: (outcome) => {
          cancelTimeout()
          resolve(outcome)
        },
        failed: (error) => {
          cancelTimeout()
          reject(toMysqlError(error, database))
        },
      }
      this.#add(job)
    })
  }

  /**
   * Changes accounts or whole databases. Rejects with a MysqlError; `check` throws if the change is invalid.
   */
  change(change: Change, check: () => void = () => undefined): Promise<void> {
    return this.runExclusively(async () => {
      check()
      const entry = toEntry(change, this.position)
      await this.#append(toLine(entry))
      this.#apply(entry)
    })
  }

  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(() => work().then(resolve, reject))
    })
  }

  /** Resolves when no other writer is active. */
  begin(): Promise<Transaction> {
    return new Promise((resolve) => {
      this.#add(
        () =>
          new Promise((release) => {
            resolve(this.#createTransaction(release))
          }),
      )
    })
  }

  #createTransaction(release: () => void): Transaction {
    const time = this.now()
    const changes: Change[] = []
    const openDatabases = new Set<string>()
    const end = (statement: string): void => {
      for (const name of openDatabases) this.databases.execute(name, statement)
      release()
    }
    return {
      write: (database, sql) => {
        if (!openDatabases.has(database)) this.databases.execute(database, 'BEGIN')
        openDatabases.add(database)
        const outcome = this.#tryWrite(database, sql, time)
        changes.push({ time, database, sql })
        return outcome
      },
      commit: async () => {
        try {
          await this.#commit(mergeChanges(changes))
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
    this.#running ??= this.#runJobs()
  }

  async #runJobs(): Promise<void> {
    await Promise.resolve()
    while (this.#jobs.length > 0) {
      const first = this.#jobs[0]!
      if (typeof first === 'function') {
        this.#jobs.shift()
        await first()
        continue
      }
      const end = this.#jobs.findIndex((job) => typeof job === 'function')
      await this.#writeBatch(this.#jobs.splice(0, end < 0 ? this.#jobs.length : end) as Write[])
    }
    this.#running = undefined
  }

  /** If the statement fails, rolls it back and throws a MysqlError. */
  #tryWrite(database: string, sql: readonly string[], time: number): Outcome {
    this.databases.now = time
    this.databases.execute(database, 'SAVEPOINT statement')
    try {
      const outcome = this.databases.write(database, sql)
      this.databases.execute(database, 'RELEASE statement')
      return outcome
    } catch (error) {
      this.databases.execute(database, 'ROLLBACK TO statement')
      this.databases.execute(database, 'RELEASE statement')
      throw toMysqlError(error, database)
    } finally {
      this.databases.now = 0
    }
  }

  async #writeBatch(writes: readonly Write[]): Promise<void> {
    const time = this.now()
    const openDatabases = new Set<string>()
    const executed: { readonly write: Write; readonly outcome: Outcome }[] = []
    for (const write of writes) {
      try {
        if (!openDatabases.has(write.database)) this.databases.execute(write.database, 'BEGIN')
        openDatabases.add(write.database)
        executed.push({ write, outcome: this.#tryWrite(write.database, write.sql, time) })
      } catch (error) {
        write.failed(error)
      }
    }
    try {
      await this.#commit(executed.map(({ write: { database, sql } }) => ({ time, database, sql })))
      for (const name of openDatabases) this.databases.execute(name, 'COMMIT')
      for (const { write, outcome } of executed) write.done(outcome)
    } catch (error) {
      for (const name of openDatabases) this.databases.execute(name, 'ROLLBACK')
      for (const { write } of executed) write.failed(error)
    }
  }

  /** Resolves when the log contains the changes. */
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
    if (this.#journal !== undefined && this.#journal.size > this.#rewriteAt) this.#scheduleRewrite()
  }

  #scheduleRewrite(): void {
    this.#rewriteAt = Number.POSITIVE_INFINITY
    void this.runExclusively(() => this.rewrite())
      .catch(() => undefined)
      .then(() => {
        this.#rewriteAt = Math.max(this.#rewriteBytes, 2 * (this.#journal?.size ?? 0))
      })
  }

  /** Replaces the log with a snapshot. Must run in an exclusive job. */
  async rewrite(): Promise<void> {
    await this.#journal?.rewrite(() => this.dump())
  }

  *dump(): Iterable<string> {
    const databases = this.databases.names()
    yield toLine({ beginning: this.position, accounts: this.accounts.list(), databases })
    for (const name of databases)
      for (const sql of this.databases.dump(name)) yield toLine({ load: name, sql })
  }

  /** Applies a replicated change; it must be the next one. */
  follow(entry: Entry): Promise<void> {
    return this.runExclusively(async () => {
      if (entry.n !== this.position.n + 1 || toEntry(toChange(entry), this.position).chain !== entry.chain)
        throw new Error("the leader's entry does not continue this log")
      await this.#append(toLine(entry))
      this.#apply(entry)
    })
  }

  /** Replaces the data with the snapshot of a leader. */
  rebuild(beginning: SnapshotStart, next: () => Promise<Line>): Promise<void> {
    return this.runExclusively(async () => {
      this.restore(beginning)
      // Replication must not continue from here if the leader is lost during the rebuild.
      this.position = PARTIAL
      for (let line = await next(); !('complete' in line); line = await next()) this.restore(line)
      this.position = beginning.beginning
      await this.rewrite().catch((error: unknown) => {
        // The file still has the old content, so replication must not append to it.
        this.position = PARTIAL
        throw toDiskError(error)
      })
    })
  }

  /**
   * Sends the changes after a position, or a snapshot, and then all new ones; resolves with a function that
   * unsubscribes.
   */
  subscribe(position: Position, send: (line: string) => void): Promise<() => void> {
    // Exclusive: pending changes are in the databases but not yet in the history.
    return this.runExclusively(async () => {
      const missed = this.#recent.after(position, this.position)
      for (const line of missed ?? this.dump()) send(line)
      if (missed === undefined) send(toLine({ complete: true }))
      this.#followers.add(send)
      return () => this.#followers.delete(send)
    })
  }

  async close(): Promise<void> {
    await this.#running
    await this.#journal?.close()
  }
}

/** Merges consecutive changes to a database into one entry, so that a crash keeps all or none of them. */
const mergeChanges = (changes: readonly Change[]): Change[] => {
  const merged: (Change & { readonly sql: string[] })[] = []
  for (const change of changes) {
    const last = merged.at(-1)
    if (last !== undefined && last.database === change.database) last.sql.push(...(change.sql ?? []))
    else merged.push({ ...change, sql: [...(change.sql ?? [])] })
  }
  return merged
}

const toChange = ({ n: _n, chain: _chain, ...change }: Entry): Change => change
