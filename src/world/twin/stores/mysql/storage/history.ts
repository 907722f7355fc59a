/** The log of a MySQL server: all changes in order. It is persisted and replicated to followers. */
import type { Account, AccountChange } from '../accounts.ts'

/** One change. */
export interface Entry {
  /** Starts at 1. */
  readonly n: number
  /** A hash of all changes so far, which distinguishes histories of the same length. */
  readonly chain: string
  /** Time of the statements, in milliseconds since the epoch. */
  readonly time: number
  readonly database?: string
  /** Statements for SQLite. */
  readonly sql?: readonly string[]
  readonly accounts?: readonly AccountChange[]
  readonly createDatabase?: string
  readonly dropDatabase?: string
}

/** The start of a snapshot, which replaces a list of changes. */
export interface SnapshotStart {
  readonly beginning: { readonly n: number; readonly chain: string }
  readonly accounts: readonly Account[]
  readonly databases: readonly string[]
}

/** A part of a snapshot: statements that recreate the data. */
export interface SnapshotPart {
  readonly load: string
  readonly sql: readonly string[]
}

/** The end of a snapshot. */
export interface SnapshotEnd {
  readonly complete: true
}

export type Line = Entry | SnapshotStart | SnapshotPart | SnapshotEnd

/** A position in a history. */
export interface Position {
  readonly n: number
  readonly chain: string
}

export const START: Position = { n: 0, chain: '0' }

/** Not a cryptographic hash. */
const hashText = (text: string): string => {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 2654435761)
    high = Math.imul(high ^ code, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return (4294967296 * (2097151 & high) + (low >>> 0)).toString(36)
}

export type Change = Omit<Entry, 'n' | 'chain'>

export const toEntry = (change: Change, previous: Position): Entry => ({
  n: previous.n + 1,
  chain: hashText(previous.chain + JSON.stringify(change)),
  ...change,
})

/** One character per byte, as journals require. */
export const toLine = (entry: Line): string => `${Buffer.from(JSON.stringify(entry)).toString('latin1')}\n`

export const parseLine = (line: string): Line =>
  JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as Line

/** Maximum size of the recent entries, in characters. */
const MAX_RECENT_CHARACTERS = 512 * 1024

/** The most recent entries, kept for followers that reconnect. */
export class RecentEntries {
  #entries: { readonly entry: Position; readonly line: string }[] = []
  #size = 0

  push(entry: Position, line: string): void {
    this.#entries.push({ entry, line })
    this.#size += line.length
    while (this.#size > MAX_RECENT_CHARACTERS && this.#entries.length > 1)
      this.#size -= this.#entries.shift()!.line.length
  }

  clear(): void {
    this.#entries = []
    this.#size = 0
  }

  /** Returns the lines after the position; undefined if they are no longer kept or the history differs. */
  after(position: Position, latest: Position): readonly string[] | undefined {
    if (position.n === latest.n && position.chain === latest.chain) return []
    const at = this.#entries.findIndex(({ entry }) => entry.n === position.n)
    if (at < 0 || this.#entries[at]!.entry.chain !== position.chain) return undefined
    return this.#entries.slice(at + 1).map(({ line }) => line)
  }
}

/** Parses the position of a follower. An invalid position counts as the start of the history. */
export const parsePosition = (text: string): Position => {
  try {
    const { n, chain } = JSON.parse(text) as Partial<Position>
    return { n: Number(n), chain: String(chain) }
  } catch {
    return START
  }
}
