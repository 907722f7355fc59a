/** The output and the exit code of a tool, and the functions of their host that the tools for MySQL use. */
import type { MysqlConnection } from '#world/twin/stores'
import type { MysqlOptions } from './mysql-options.ts'

export interface ToolOutcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface MysqlSurroundings {
  /** Connects and logs in. Rejects after the timeout of the options. */
  open(options: MysqlOptions): Promise<MysqlConnection>
  readInput(): Promise<string>
  /** Whether the output goes to a terminal. */
  readonly isTerminal: boolean
}
