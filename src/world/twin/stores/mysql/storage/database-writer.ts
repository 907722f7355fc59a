/** Executes the statements of a MySQL server: rolls back those that fail, and commits the others once the log contains them. */
import type { Databases, Outcome } from '../databases.ts'
import { toMysqlError } from '../mysql-error.ts'
import type { Change } from './history.ts'
import type { Write } from './write-queue.ts'

/** Changes that apply together or not at all; other writers wait. */
export interface Transaction {
  write(database: string, sql: readonly string[]): Outcome
  commit(): Promise<void>
  rollback(): void
}

export class DatabaseWriter {
  readonly #databases: Databases
  readonly #now: () => number
  readonly #log: (changes: readonly Change[]) => Promise<void>

  /** `log` resolves when the log contains the changes. */
  constructor(databases: Databases, now: () => number, log: (changes: readonly Change[]) => Promise<void>) {
    this.#databases = databases
    this.#now = now
    this.#log = log
  }

  async writeBatch(writes: readonly Write[]): Promise<void> {
    const time = this.#now()
    const openDatabases = new Set<string>()
    const executed: { readonly write: Write; readonly outcome: Outcome }[] = []
    for (const write of writes) {
      try {
        if (!openDatabases.has(write.database)) this.#databases.execute(write.database, 'BEGIN')
        openDatabases.add(write.database)
        executed.push({ write, outcome: this.#tryWrite(write.database, write.sql, time) })
      } catch (error) {
        write.failed(error)
      }
    }
    try {
      await this.#log(executed.map(({ write: { database, sql } }) => ({ time, database, sql })))
      for (const name of openDatabases) this.#databases.execute(name, 'COMMIT')
      for (const { write, outcome } of executed) write.done(outcome)
    } catch (error) {
      for (const name of openDatabases) this.#databases.execute(name, 'ROLLBACK')
      for (const { write } of executed) write.failed(error)
    }
  }

  /** The caller must not run another job until `release` is called. */
  createTransaction(release: () => void): Transaction {
    const time = this.#now()
    const changes: Change[] = []
    const openDatabases = new Set<string>()
    const end = (statement: string): void => {
      for (const name of openDatabases) this.#databases.execute(name, statement)
      release()
    }
    return {
      write: (database, sql) => {
        if (!openDatabases.has(database)) this.#databases.execute(database, 'BEGIN')
        openDatabases.add(database)
        const outcome = this.#tryWrite(database, sql, time)
        changes.push({ time, database, sql })
        return outcome
      },
      commit: async () => {
        try {
          await this.#log(mergeChanges(changes))
          end('COMMIT')
        } catch (error) {
          end('ROLLBACK')
          throw error
        }
      },
      rollback: () => end('ROLLBACK'),
    }
  }

  /** If the statement fails, rolls it back and throws a MysqlError. */
  #tryWrite(database: string, sql: readonly string[], time: number): Outcome {
    this.#databases.now = time
    this.#databases.execute(database, 'SAVEPOINT statement')
    try {
      const outcome = this.#databases.write(database, sql)
      this.#databases.execute(database, 'RELEASE statement')
      return outcome
    } catch (error) {
      this.#databases.execute(database, 'ROLLBACK TO statement')
      this.#databases.execute(database, 'RELEASE statement')
      throw toMysqlError(error, database)
    } finally {
      this.#databases.now = 0
    }
  }
}

/** Merges consecutive changes to a database into one entry, so that a crash keeps all or none of them. */
const mergeChanges = (changes: readonly Change[]): Change[] => {
  const merged: (Change & { readonly sql: string[] })[] = []
  for (const change of changes) {
    const last = merged.at(-1)
    if (last !== undefined && last.database === change.database) last.sql.push(...(change.sql ?? []))
    else merged.push({ ...change, sql: [...(change.sql ?? [])] })
  }
  return merged
}
