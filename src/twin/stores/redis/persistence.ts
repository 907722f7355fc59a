/** The append-only file of a Redis server, in Redis' own format: the commands that changed something. */
import { join } from 'node:path'
import { type Journal, openJournal } from '../journal.ts'
import { RedisError, RespReader } from './resp.ts'

const RETRY_MS = 1_000

/** From this size on it is made anew when it has doubled. */
const REWRITE_BYTES = 64 * 1024 * 1024

export interface Persistence {
  /** Why writes are refused: the last append did not succeed. */
  readonly failure: RedisError | undefined
  /** Rejects with the error that the client gets. */
  append(text: string): Promise<void>
  close(): Promise<void>
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
  readonly #journal: Journal
  readonly #dump: () => Iterable<string>
  readonly #log: (level: 'warn' | 'info', text: string) => void
  /** What is in memory and not in the file. */
  #unsaved = ''
  #retry: NodeJS.Timeout | undefined
  #rewriteAt = REWRITE_BYTES

  constructor(
    journal: Journal,
    dump: () => Iterable<string>,
    log: (level: 'warn' | 'info', text: string) => void,
  ) {
    this.#journal = journal
    this.#dump = dump
    this.#log = log
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
    this.#retry ??= setInterval(() => void this.#saveRest(), RETRY_MS).unref()
  }

  async #saveRest(): Promise<void> {
    const text = this.#unsaved
    this.#unsaved = ''
    try {
      await this.#journal.append(text)
    } catch (error) {
      this.#unsaved = text + this.#unsaved
      this.#fail(error)
      return
    }
    if (this.#unsaved !== '') return
    clearInterval(this.#retry)
    this.#retry = undefined
    this.failure = undefined
    this.#log('info', 'AOF write error looks solved, Redis can write again.')
  }

  #rewrite(): void {
    this.#rewriteAt = Number.POSITIVE_INFINITY
    this.#journal.rewrite(this.#dump).then(
      () => {
        this.#rewriteAt = Math.max(REWRITE_BYTES, 2 * this.#journal.size)
        this.#log('info', 'Background AOF rewrite finished successfully')
      },
      (error: unknown) => {
        this.#rewriteAt = 2 * this.#journal.size
        this.#log('warn', `Background AOF rewrite failed: ${toReason(error)}`)
      },
    )
  }

  close(): Promise<void> {
    clearInterval(this.#retry)
    return this.#journal.close()
  }
}

/** Reads what is there, command by command, and goes on after it. */
export const openAppendOnlyFile = async (
  folder: string,
  replay: (words: readonly string[]) => void,
  dump: () => Iterable<string>,
  log: (level: 'warn' | 'info', text: string) => void,
): Promise<Persistence> => {
  const journal = await openJournal(join(folder, 'appendonly.aof'), (text) => {
    const reader = new RespReader(text)
    for (let words = reader.nextCommand(); words !== undefined; words = reader.nextCommand()) replay(words)
    return reader.position
  })
  return new AppendOnlyFile(journal, dump, log)
}
