/** Opens a telemetry file that was written before, or is being written by another process. */
import { createRealClock } from '../../kit/index.ts'
import type { TelemetryQuery } from '../../spec/index.ts'
import { createSqliteQuery } from './create-sqlite-query.ts'
import { openDatabase } from './open-database.ts'
import { createSqlReader, type SqlReader } from './sql-reader.ts'

export interface OpenTelemetry {
  readonly query: TelemetryQuery
  readonly sql: SqlReader['sql']
  close(): Promise<void>
}

/** Throws where the file is not there, is of another program, or of a newer Remedium. */
export const openTelemetry = (file: string): OpenTelemetry => {
  openDatabase(file).close()
  const reader = createSqlReader({ file, clock: createRealClock({ keepsAlive: true }) })
  return { query: createSqliteQuery(reader.rows), sql: reader.sql, close: reader.close }
}
