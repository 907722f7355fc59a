/** The error log, the slow log and the general log of a MySQL server, in the folder that is made for them. */
import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLineFile, type WriteLine } from '../../watch/index.ts'

export interface SlowQuery {
  readonly user: string
  readonly host: string
  readonly connectionId: number
  readonly startedAt: number
  readonly durationMs: number
  readonly rows: number
  readonly sql: string
}

const LONGEST_STATEMENT = 200

/** Nothing is written where the folder is not there. They resolve when the kernel has it, and never reject. */
export class LogFiles {
  readonly #folder: string
  readonly #statements: WriteLine | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#statements = createLineFile(join(folder, 'general.log'))
  }

  error(level: 'Note' | 'Warning' | 'ERROR', text: string): Promise<void> {
    return this.#append('error.log', `${new Date().toISOString()} 0 [${level}] ${text}\n`)
  }

  /** Of the general log, which begins anew before it is large. */
  async statement(connectionId: number, verb: string, sql: string): Promise<void> {
    await this.#statements?.(
      `${new Date().toISOString()} ${connectionId} ${verb} ${sql.slice(0, LONGEST_STATEMENT)}`,
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
