/** The binary log of a MySQL server: the file of all changes, which a snapshot replaces when the file has grown. */
import { join } from 'node:path'
import { type Journal, openJournal } from '../../journal.ts'
import type { StoreHost } from '../../store-host.ts'
import { toDiskError } from '../mysql-error.ts'
import { type Line, parseLine } from './history.ts'

/** A larger log is rewritten each time its size has doubled. */
const REWRITE_BYTES = 16 * 1024 * 1024

export interface BinaryLogOptions {
  readonly rewriteBytes: number | undefined
  /** The lines of a snapshot. */
  dump(): Iterable<string>
  /** Runs the work while nothing is written. */
  runExclusively(work: () => Promise<void>): Promise<void>
}

export class BinaryLog {
  readonly #options: BinaryLogOptions
  readonly #rewriteBytes: number
  #rewriteAt: number
  #journal: Journal | undefined

  constructor(options: BinaryLogOptions) {
    this.#options = options
    this.#rewriteBytes = options.rewriteBytes ?? REWRITE_BYTES
    this.#rewriteAt = this.#rewriteBytes
  }

  /** Passes each line of an existing file to `restore`. */
  async open(host: StoreHost, folder: string, restore: (line: Line) => void): Promise<void> {
    this.#journal = await openJournal(host, join(folder, 'mysql-bin.000001'), (text) => {
      let at = 0
      for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
        restore(parseLine(text.slice(at, end)))
        at = end + 1
      }
      return at
    })
  }

  async append(text: string): Promise<void> {
    await this.#journal?.append(text).catch((error: unknown) => {
      throw toDiskError(error)
    })
    if (this.#journal !== undefined && this.#journal.size > this.#rewriteAt) this.#scheduleRewrite()
  }

  #scheduleRewrite(): void {
    this.#rewriteAt = Number.POSITIVE_INFINITY
    void this.#options
      .runExclusively(() => this.rewrite())
      .catch(() => undefined)
      .then(() => {
        this.#rewriteAt = Math.max(this.#rewriteBytes, 2 * (this.#journal?.size ?? 0))
      })
  }

  /** Replaces the log with a snapshot. Must not run while something is written. */
  async rewrite(): Promise<void> {
    await this.#journal?.rewrite(() => this.#options.dump())
  }

  /** Whether the file contains exactly what a restart must restore. */
  async isIntact(): Promise<boolean> {
    return this.#journal?.isIntact() ?? true
  }

  close(): Promise<void> | undefined {
    return this.#journal?.close()
  }
}
