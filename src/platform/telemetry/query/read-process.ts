/**
 * The process that reads a telemetry file. It is not a thread, because a running SQLite query cannot be
 * interrupted, but a process can be killed.
 */

import { openDatabase } from './open-database.ts'
import { createScopedSqlExecutor, openBehindViews } from './scoped-sql-executor.ts'
import { createSqlExecutor } from './sql-executor.ts'
import type { SqlReply, SqlRequest } from './sql-request.ts'

const [, , file] = process.argv
const execute = createSqlExecutor(openDatabase(file!))
let executeScoped: ReturnType<typeof createScopedSqlExecutor> | undefined

const toReply = (request: SqlRequest): SqlReply => {
  try {
    if (request.since === undefined) return execute(request)
    executeScoped ??= createScopedSqlExecutor(openBehindViews(file!))
    return executeScoped(request, request.since)
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.on('message', (request: SqlRequest) => process.send!(toReply(request)))
process.once('disconnect', () => process.exit())
