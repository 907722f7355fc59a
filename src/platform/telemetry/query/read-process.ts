/**
 * The process that reads a telemetry file. It is a process and not a thread, because a running SQLite query cannot be
 * interrupted, but a process can be killed.
 */

import { openDatabase } from './open-database.ts'
import { createScopedExecutor } from './scoped-sql-executor.ts'
import { createSqlExecutor } from './sql-executor.ts'
import type { SqlReply, SqlRequest } from './sql-request.ts'

const [, , file] = process.argv
const answers = createSqlExecutor(openDatabase(file!))
let within: ReturnType<typeof createScopedExecutor> | undefined

const answer = (request: SqlRequest): SqlReply => {
  try {
    if (request.since === undefined) return answers(request)
    within ??= createScopedExecutor(file!)
    return within(request, request.since)
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.on('message', (request: SqlRequest) => process.send!(answer(request)))
process.once('disconnect', () => process.exit())
