/**
 * The process that reads a telemetry file. A process and not a thread, because SQLite cannot be stopped in the
 * middle of a query that does not end, and a process can.
 */
import { createSqlAnswers } from './answer-sql.ts'
import { openDatabase } from './open-database.ts'
import type { SqlReply, SqlRequest } from './sql-request.ts'

const answers = createSqlAnswers(openDatabase(process.argv[2]!))

const answer = (request: SqlRequest): SqlReply => {
  try {
    return answers(request)
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.on('message', (request: SqlRequest) => process.send!(answer(request)))
process.once('disconnect', () => process.exit())
