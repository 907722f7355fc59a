/** Messages to and from the process that reads a telemetry file. */
import type { SqlAnswer } from '#spec'

export type SqlParameter = string | number | null

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, SqlValue>>

export interface SqlRequest {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
  readonly maxRows: number
  /** Whether the query comes from a user and must be restricted. */
  readonly isGuarded: boolean
  /** Hides earlier signals and the laboratory. */
  readonly since?: number
}

export type SqlReply = SqlAnswer | { readonly error: string }
