/** Runs SQL of users on a database in memory: on this thread, and with reproducible results. */
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#kit'
import type { SqlAnswer } from '#spec'
import { defineVirtualFunctions, type VirtualFunctions } from '../../query/define-virtual-functions.ts'
import { createScopedSqlExecutor, openBehindViews } from '../../query/scoped-sql-executor.ts'
import { createSqlExecutor } from '../../query/sql-executor.ts'
import type { SqlRequest } from '../../query/sql-request.ts'

/** A query that reads more rows, for example by a join without a condition, would block this thread for seconds. */
const MAX_READ_ROWS = 2_000_000

export interface UserSql {
  execute(request: SqlRequest): SqlAnswer
  close(): void
}

interface Connection {
  readonly database: DatabaseSync
  readonly functions: VirtualFunctions
  execute(request: SqlRequest): SqlAnswer
}

/** For the laboratory: all signals, without a limit on the rows that are read. */
const connect = (address: string, clock: Clock): Connection => {
  const database = new DatabaseSync(address, { readOnly: true })
  return {
    database,
    functions: defineVirtualFunctions(database, clock),
    execute: createSqlExecutor(database),
  }
}

/**
 * For untrusted solvers. This thread cannot be killed if a query takes too long. The number of rows is therefore limited, and
 * recursion, which can be endless, is denied.
 */
const connectScoped = (address: string, clock: Clock): Connection => {
  const database = openBehindViews(address)
  let rows = 0
  database.function('count_row', (_id) => {
    rows += 1
    if (rows > MAX_READ_ROWS) throw new Error('the query reads too many rows')
    return 1
  })
  const functions = defineVirtualFunctions(database, clock)
  const execute = createScopedSqlExecutor(database, {
    rowCondition: 'count_row(rowid)',
    allowsRecursion: false,
  })
  return {
    database,
    functions,
    execute(request) {
      rows = 0
      return execute(request, request.since!)
    },
  }
}

export const createUserSql = (address: string, clock: Clock): UserSql => {
  let whole: Connection | undefined
  let scoped: Connection | undefined
  const connectionFor = ({ since }: SqlRequest): Connection => {
    if (since === undefined) whole ??= connect(address, clock)
    else scoped ??= connectScoped(address, clock)
    return (since === undefined ? whole : scoped)!
  }
  return {
    execute(request) {
      const { functions, execute } = connectionFor(request)
      functions.restart()
      return execute(request)
    },
    close() {
      for (const connection of [whole, scoped]) {
        connection?.functions.close()
        connection?.database.close()
      }
    },
  }
}
