/** The error log, slow log and general log of a MySQL server in its log folder. */
import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLineFile, type WriteLine } from '#world/twin/instrumentation'
import { processFiles } from '#world/twin/process'

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
  readonly #statements: WriteLine | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#statements = createLineFile(processFiles, join(folder, 'general.log'))
  }

  error(level: 'Note' | 'Warning' | 'ERROR', text: string): Promise<void> {
    return this.#append('error.log', `${new Date().toISOString()} 0 [${level}] ${text}\n`)
  }

  /** Writes to the general log, which is truncated at a size limit. */
  async statement(connectionId: number, verb: string, sql: string): Promise<void> {
    await this.#statements?.(
      `${new Date().toISOString()} ${connectionId} ${verb} ${sql.slice(0, MAX_STATEMENT_CHARACTERS)}`,
    )
  }

  slow(query: SlowQuery): Promise<void> {
    const seconds = (query.durationMs / 1_000).toFixed(6)
    return this.#append(
      'slow.log',
      [
        `# Time: ${new Date().toISOString()}`,
        `# User@Host: ${query.user}[${query.user}] @ ${query.host} []  Id: ${query.connectionId}`,
        `# Query_time: ${seconds}  Lock_time: 0.000000 Rows_sent: ${query.rows}  Rows_examined: ${query.rows}`,
        `SET timestamp=${Math.floor(query.startedAt / 1_000)};`,
        `${query.sql};`,
        '',
      ].join('\n'),
    )
  }

  async #append(file: string, text: string): Promise<void> {
    if (!existsSync(this.#folder)) return
    await appendFile(join(this.#folder, file), text).catch(() => undefined)
  }
}
