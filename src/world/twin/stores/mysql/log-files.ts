/** The error log, slow log and general log of a MySQL server in its log folder. */
import { join } from 'node:path'
import { createLineFile, type WriteLine } from '#world/twin/instrumentation'
import type { StoreHost } from '../store-host.ts'

export interface SlowQuery {
  readonly user: string
  readonly host: string
  readonly connectionId: number
  readonly startedAt: number
  readonly durationMs: number
  readonly rows: number
  readonly sql: string
}

const MAX_STATEMENT_CHARACTERS = 200

/**
 * Writes nothing if the folder does not exist. The methods resolve when the kernel has the line, and never
 * reject.
 */
export class LogFiles {
  readonly #folder: string
  readonly #host: StoreHost
  readonly #statements: WriteLine | undefined

  constructor(folder: string, host: StoreHost) {
    this.#folder = folder
    this.#host = host
    this.#statements = createLineFile(host.files, join(folder, 'general.log'))
  }

  #time(): string {
    return new Date(this.#host.time.now()).toISOString()
  }

  error(level: 'Note' | 'Warning' | 'ERROR', text: string): Promise<void> {
    return this.#append('error.log', `${this.#time()} 0 [${level}] ${text}\n`)
  }

  /** Writes to the general log, which is truncated at a size limit. */
  async statement(connectionId: number, verb: string, sql: string): Promise<void> {
    await this.#statements?.(
      `${this.#time()} ${connectionId} ${verb} ${sql.slice(0, MAX_STATEMENT_CHARACTERS)}`,
    )
  }

  slow(query: SlowQuery): Promise<void> {
    const seconds = (query.durationMs / 1_000).toFixed(6)
    return this.#append(
      'slow.log',
      [
        `# Time: ${this.#time()}`,
        `# User@Host: ${query.user}[${query.user}] @ ${query.host} []  Id: ${query.connectionId}`,
        `# Query_time: ${seconds}  Lock_time: 0.000000 Rows_sent: ${query.rows}  Rows_examined: ${query.rows}`,
        `SET timestamp=${Math.floor(query.startedAt / 1_000)};`,
        `${query.sql};`,
        '',
      ].join('\n'),
    )
  }

  async #append(file: string, text: string): Promise<void> {
    const { files } = this.#host
    if (!files.exists(this.#folder)) return
    try {
      const opened = await files.open(join(this.#folder, file), 'append')
      await opened.write(Buffer.from(text), 0).finally(() => opened.close())
    } catch {
      // A full disk must not stop the server.
    }
  }
}
