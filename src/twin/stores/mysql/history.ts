/** The log of a MySQL server: everything that changed, in order. It is what survives, and what followers copy. */
import type { Account, AccountChange } from './accounts.ts'

/** One change. */
export interface Entry {
  /** Counts from 1. */
  readonly n: number
  /** Tells apart two histories that have the same length. */
  readonly chain: string
  /** Milliseconds since the epoch: what the statements take for now. */
  readonly time: number
  readonly database?: string
  /** In SQLite's words. */
  readonly sql?: readonly string[]
  readonly accounts?: readonly AccountChange[]
  readonly makeDatabase?: string
  readonly dropDatabase?: string
}

/** How everything begins that is not a list of changes but what became of them. */
export interface Beginning {
  readonly beginning: { readonly n: number; readonly chain: string }
  readonly accounts: readonly Account[]
  readonly databases: readonly string[]
}

/** A part of what became: statements that make it again. */
export interface Load {
  readonly load: string
  readonly sql: readonly string[]
}

/** The end of what makes it all again. */
export interface Complete {
  readonly complete: true
}

export type Line = Entry | Beginning | Load | Complete

/** Where a history stands. */
export interface Position {
  readonly n: number
  readonly chain: string
}

export const START: Position = { n: 0, chain: '0' }

/** Not for secrets, only to tell one history from another. */
const mix = (text: string): string => {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    one = Math.imul(one ^ letter, 2654435761)
    other = Math.imul(other ^ letter, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (4294967296 * (2097151 & other) + (one >>> 0)).toString(36)
}

export type Change = Omit<Entry, 'n' | 'chain'>

export const toEntry = (change: Change, after: Position): Entry => ({
  n: after.n + 1,
  chain: mix(after.chain + JSON.stringify(change)),
  ...change,
})

/** A letter for each byte, as journals want it. */
export const toLine = (what: Line): string => `${Buffer.from(JSON.stringify(what)).toString('latin1')}\n`

export const parseLine = (line: string): Line =>
  JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as Line

/** How much of what happened is at hand for those who were away a short while, in letters. */
const KEPT = 512 * 1024

/** The last entries. */
export class RecentEntries {
  #entries: { readonly entry: Position; readonly line: string }[] = []
  #size = 0

  push(entry: Position, line: string): void {
    this.#entries.push({ entry, line })
    this.#size += line.length
    while (this.#size > KEPT && this.#entries.length > 1) this.#size -= this.#entries.shift()!.line.length
  }

  clear(): void {
    this.#entries = []
    this.#size = 0
  }

  /** What came after this position; undefined where that is not known, or was another history. */
  after(position: Position, latest: Position): readonly string[] | undefined {
    if (position.n === latest.n && position.chain === latest.chain) return []
    const at = this.#entries.findIndex(({ entry }) => entry.n === position.n)
    if (at < 0 || this.#entries[at]!.entry.chain !== position.chain) return undefined
    return this.#entries.slice(at + 1).map(({ line }) => line)
  }
}

/** What a follower says of itself; one that makes no sense has nothing. */
export const parsePosition = (text: string): Position => {
  try {
    const { n, chain } = JSON.parse(text) as Partial<Position>
    return { n: Number(n), chain: String(chain) }
  } catch {
    return START
  }
}
