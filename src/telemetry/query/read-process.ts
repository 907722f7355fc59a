/**
 * The process that reads a telemetry file. A process and not a thread, because SQLite cannot be stopped in the
 * middle of a query that does not end, and a process can.
 */
import { createSqlAnswers } from './answer-sql.ts'
import { openDatabase } from './open-database.ts'
import { createScopedAnswers } from './scoped-sql.ts'
import type { SqlReply, SqlRequest } from './sql-request.ts'

const [, , file] = process.argv
const answers = createSqlAnswers(openDatabase(file!))
let within: ReturnType<typeof createScopedAnswers> | undefined

const answer = (request: SqlRequest): SqlReply => {
  try {
    if (request.since === undefined) return answers(request)
    within ??= createScopedAnswers(file!)
    return within(request, request.since)
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.on('message', (request: SqlRequest) => process.send!(answer(request)))
process.once('disconnect', () => process.exit())
