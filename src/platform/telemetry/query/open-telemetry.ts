/** Opens an existing telemetry file, which another process may be writing. */
import { createRealClock } from '#kit'
import type { TelemetryQuery } from '#spec'
import { createSqliteQuery } from './create-sqlite-query.ts'
import { openDatabase } from './open-database.ts'
import { createSqlReader, type SqlReader } from './sql-reader.ts'

export interface OpenTelemetry {
  readonly query: TelemetryQuery
  readonly sql: SqlReader['sql']
  close(): Promise<void>
}

/** Throws if the file does not exist, is not a telemetry file, or has an unknown version. */
export const openTelemetry = (file: string): OpenTelemetry => {
  openDatabase(file).close()
  const reader = createSqlReader({ file, clock: createRealClock({ keepsAlive: true }) })
  return { query: createSqliteQuery(reader.rows), sql: reader.sql, close: reader.close }
}
