/** What is asked of the process that reads a telemetry file, and what it answers. */

export type SqlParameter = string | number | null

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, SqlValue>>

/** What a query of a user gives. */
export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly SqlRow[]
  /** Whether there would be more rows than are given: 10,000, or 32 MiB. */
  readonly truncated: boolean
}

export interface SqlRequest {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
  readonly mostRows: number
  /** Whether it comes from a user. */
  readonly guarded: boolean
}

export type SqlReply = SqlAnswer | { readonly error: string }
