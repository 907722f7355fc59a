/** What is asked of the process that reads a telemetry file, and what it answers. */
import type { SqlAnswer } from '../../spec/index.ts'

export type SqlParameter = string | number | null

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, SqlValue>>

export interface SqlRequest {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
  readonly mostRows: number
  /** Whether it comes from a user. */
  readonly guarded: boolean
  /** Only what came then or later, and nothing of the laboratory. */
  readonly since?: number
}

export type SqlReply = SqlAnswer | { readonly error: string }
