/** The append-only file of a Redis server, in the format of Redis: the commands that changed data. */
import { join } from 'node:path'
import { type Journal, openJournal } from '../journal.ts'
import type { StoreHost } from '../store-host.ts'
import { RedisError, RespReader } from './resp.ts'

const RETRY_MS = 1_000

const REWRITE_BYTES = 64 * 1024 * 1024

export interface Persistence {
  /** The error of the last append if it failed; writes are rejected with it. */
  readonly failure: RedisError | undefined
  /** Rejects with the error that the client receives. */
  append(text: string): Promise<void>
  /** Whether the file contains exactly what a restart must restore. */
  isIntact(): Promise<boolean>
  close(): Promise<void>
}

export interface PersistenceOptions {
  readonly folder: string
  /** Called with each command of the file, in order. */
  replay(words: readonly string[]): void
  /** Generates commands that recreate all data in memory. */
  dump(): Iterable<string>
  log(level: 'warn' | 'info', text: string): void
  /** A larger file is rewritten each time its size has doubled. */
  readonly rewriteBytes?: number | undefined
}

const toFailure = (error: unknown): RedisError =>
  new RedisError(`MISCONF Errors writing to the AOF file: ${toReason(error)}`)

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space left on device',
  EIO: 'Input/output error',
  EDQUOT: 'Disk quota exceeded',
  EFBIG: 'File too large',
  EROFS: 'Read-only file system',
}

const toReason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}

class AppendOnlyFile implements Persistence {
  failure: RedisError | undefined
  readonly #time: StoreHost['time']
  readonly #journal: Journal
  readonly #dump: PersistenceOptions['dump']
  readonly #log: PersistenceOptions['log']
  /** Changes in memory that are not yet in the file. */
  #unsaved = ''
  #cancelRetry: (() => void) | undefined
  readonly #rewriteBytes: number
  #rewriteAt: number

  constructor(
    { time }: StoreHost,
    journal: Journal,
    { dump, log, rewriteBytes = REWRITE_BYTES }: PersistenceOptions,
  ) {
    this.#time = time
    this.#journal = journal
    this.#dump = dump
    this.#log = log
    this.#rewriteBytes = rewriteBytes
    this.#rewriteAt = rewriteBytes
  }

  async append(text: string): Promise<void> {
    try {
      await this.#journal.append(text)
    } catch (error) {
      this.#unsaved += text
      this.#fail(error)
      throw this.failure
    }
    if (this.#journal.size > this.#rewriteAt) this.#rewrite()
  }

  #fail(error: unknown): void {
    if (this.failure === undefined) this.#log('warn', `Error writing to the AOF file: ${toReason(error)}`)
    this.failure = toFailure(error)
    this.#cancelRetry ??= this.#time.after(RETRY_MS, () => void this.#retryUnsaved())
  }

  async #retryUnsaved(): Promise<void> {
    this.#cancelRetry = undefined
    const text = this.#unsaved
    this.#unsaved = ''
    try {
      await this.#journal.append(text)
    } catch (error) {
      this.#unsaved = text + this.#unsaved
      this.#fail(error)
      return
    }
    if (this.#unsaved !== '') {
      this.#cancelRetry ??= this.#time.after(RETRY_MS, () => void this.#retryUnsaved())
      return
    }
    this.failure = undefined
    this.#log('info', 'AOF write error looks solved, Redis can write again.')
  }

  #rewrite(): void {
    this.#rewriteAt = Number.POSITIVE_INFINITY
    this.#journal.rewrite(this.#dump).then(
      () => {
        this.#rewriteAt = Math.max(this.#rewriteBytes, 2 * this.#journal.size)
        this.#log('info', 'Background AOF rewrite finished successfully')
      },
      (error: unknown) => {
        this.#rewriteAt = 2 * this.#journal.size
        this.#log('warn', `Background AOF rewrite failed: ${toReason(error)}`)
      },
    )
  }

  isIntact(): Promise<boolean> {
    return this.#journal.isIntact()
  }

  close(): Promise<void> {
    this.#cancelRetry?.()
    return this.#journal.close()
  }
}

/** Opens the file and replays its commands. */
export const openAppendOnlyFile = async (
  host: StoreHost,
  options: PersistenceOptions,
): Promise<Persistence> => {
  const journal = await openJournal(host, join(options.folder, 'appendonly.aof'), (text) => {
    const reader = new RespReader(text)
    for (let words = reader.nextCommand(); words !== undefined; words = reader.nextCommand())
      options.replay(words)
    return reader.position
  })
  return new AppendOnlyFile(host, journal, options)
}
