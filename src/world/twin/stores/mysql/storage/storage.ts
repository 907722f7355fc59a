/**
 * The data of a MySQL server: databases and accounts in memory, and the log of their changes on the volume. A
 * change is answered when the log contains it; concurrent changes are logged together.
 */
import type { StoreHost } from '../../store-host.ts'
import { Accounts } from '../accounts.ts'
import { Databases, type Outcome } from '../databases.ts'
import { toDiskError } from '../mysql-error.ts'
import { BinaryLog } from './binary-log.ts'
import { DatabaseWriter, type Transaction } from './database-writer.ts'
import {
  type Change,
  type Entry,
  type Line,
  type Position,
  RecentEntries,
  type SnapshotStart,
  START,
  toEntry,
  toLine,
} from './history.ts'
import { applyEntry, dumpSnapshot, startSnapshot } from './stored-data.ts'
import { WriteQueue } from './write-queue.ts'

/** The position of incomplete data. */
const PARTIAL: Position = { n: 0, chain: 'partial' }

export class Storage {
  readonly databases: Databases
  readonly accounts = new Accounts()
  position: Position = START
  readonly #recent = new RecentEntries()
  readonly #followers = new Set<(line: string) => void>()
  readonly #writer: DatabaseWriter
  readonly #queue: WriteQueue
  readonly #log: BinaryLog
  readonly #host: StoreHost

  constructor(sqlite: typeof import('node:sqlite'), host: StoreHost, rewriteBytes?: number) {
    this.#host = host
    this.databases = new Databases(sqlite, () => this.now())
    this.#writer = new DatabaseWriter(
      this.databases,
      () => this.now(),
      (changes) => this.#commit(changes),
    )
    this.#queue = new WriteQueue(host.time, (writes) => this.#writer.writeBatch(writes))
    this.#log = new BinaryLog({
      rewriteBytes,
      dump: () => dumpSnapshot(this, this.position),
      runExclusively: (work) => this.#queue.runExclusively(work),
    })
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return Math.floor(this.#host.time.now())
  }

  /** Replays the log of the folder; an empty one starts with `initialChanges`. */
  async open(folder: string | undefined, initialChanges: readonly Change[]): Promise<void> {
    if (folder !== undefined) await this.#log.open(this.#host, folder, (line) => this.restore(line))
    if (this.position.n > 0) return
    for (const change of initialChanges) await this.change(change)
  }

  /** Applies a line of a log without checks and without logging it. */
  restore(line: Line): void {
    if ('beginning' in line) {
      startSnapshot(this, line)
      this.#recent.clear()
      this.position = line.beginning
    } else if ('load' in line) this.databases.write(line.load, line.sql)
    else if ('n' in line) this.#apply(line)
  }

  #apply(entry: Entry): void {
    applyEntry(this, entry)
    this.#advance(entry, toLine(entry))
  }

  #advance(entry: Entry, line: string): void {
    this.position = { n: entry.n, chain: entry.chain }
    this.#recent.push(this.position, line)
    for (const follower of this.#followers) follower(line)
  }

  /** Runs statements on tables. Rejects with a MysqlError. */
  write(database: string, sql: readonly string[]): Promise<Outcome> {
    return this.#queue.write(database, sql)
  }

  /** Changes accounts or whole databases. Rejects with a MysqlError; `check` throws if the change is invalid. */
  change(change: Change, check: () => void = () => undefined): Promise<void> {
    return this.#queue.runExclusively(async () => {
      check()
      const entry = toEntry(change, this.position)
      await this.#log.append(toLine(entry))
      this.#apply(entry)
    })
  }

  /** Resolves when no other writer is active. */
  begin(): Promise<Transaction> {
    return new Promise((resolve) => {
      this.#queue.add(
        () =>
          new Promise((release) => {
            resolve(this.#writer.createTransaction(release))
          }),
      )
    })
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
    if (lines.length > 0) await this.#log.append(lines.join(''))
    for (const [at, entry] of entries.entries()) this.#advance(entry, lines[at]!)
  }

  /** Applies a replicated change; it must be the next one. */
  follow(entry: Entry): Promise<void> {
    return this.#queue.runExclusively(async () => {
      if (entry.n !== this.position.n + 1 || toEntry(toChange(entry), this.position).chain !== entry.chain)
        throw new Error("the leader's entry does not continue this log")
      await this.#log.append(toLine(entry))
      this.#apply(entry)
    })
  }

  /** Replaces the data with the snapshot of a leader. */
  rebuild(beginning: SnapshotStart, next: () => Promise<Line>): Promise<void> {
    return this.#queue.runExclusively(async () => {
      this.restore(beginning)
      // Replication must not continue from here if the leader is lost during the rebuild.
      this.position = PARTIAL
      for (let line = await next(); !('complete' in line); line = await next()) this.restore(line)
      this.position = beginning.beginning
      await this.#log.rewrite().catch((error: unknown) => {
        // The file still has the old content, so replication must not append to it.
        this.position = PARTIAL
        throw toDiskError(error)
      })
    })
  }

  /** Sends the changes after a position, or a snapshot, and then all new ones; resolves with a function that unsubscribes. */
  subscribe(position: Position, send: (line: string) => void): Promise<() => void> {
    // Exclusive: pending changes are in the databases but not yet in the history.
    return this.#queue.runExclusively(async () => {
      const missed = this.#recent.after(position, this.position)
      for (const line of missed ?? dumpSnapshot(this, this.position)) send(line)
      if (missed === undefined) send(toLine({ complete: true }))
      this.#followers.add(send)
      return () => this.#followers.delete(send)
    })
  }

  /** Whether a restart would restore the data. */
  isIntact(): Promise<boolean> {
    return this.#log.isIntact()
  }

  async close(): Promise<void> {
    await this.#queue.ended()
    await this.#log.close()
  }
}

const toChange = ({ n: _n, chain: _chain, ...change }: Entry): Change => change
