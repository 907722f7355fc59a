/**
 * Stores signals in memory, on this thread and without files: for simulated clusters. Frequent queries are answered from arrays;
 * all others, and SQL, from a SQLite database in memory that is filled on demand.
 */
import type { Clock } from '#kit'
import { RemediumError, type TelemetryQuery } from '#spec'
import type { CollectedSink } from '../../collect/collected-sink.ts'
import { createArrayQueries } from '../../query/arrays/create-array-queries.ts'
import { createSqliteQuery } from '../../query/create-sqlite-query.ts'
import type { SqlReader } from '../../query/sql-reader.ts'
import { failedQueryError, toUserRequest } from '../../query/user-query.ts'
import { createMemoryDatabase, type MemoryDatabase } from './create-memory-database.ts'
import { createSignalArrays, type SignalSnapshot } from './create-signal-arrays.ts'
import { createUserSql, type UserSql } from './create-user-sql.ts'
import type { MemorySignals } from './memory-signals.ts'

/** Many clusters share the memory of one process. */
const DEFAULT_MAX_BYTES = 64 * 2 ** 20

export interface MemoryTelemetryStoreOptions {
  readonly clock: Clock
  /** The approximate size of all signals above which the oldest are evicted; 64 MiB by default. */
  readonly maxBytes?: number
}

export interface MemoryTelemetryStore extends CollectedSink {
  readonly query: TelemetryQuery
  /** Runs read-only SQL; docs/telemetry.md describes the tables. */
  readonly sql: SqlReader['sql']
  /** Records the start of an epoch: `ready`, `reset`. */
  mark(name: string): void
  /** Resolves at once: all earlier signals can be read. */
  flush(): Promise<void>
  /** Independent of later changes; can be restored any number of times, in this store and in others. */
  snapshot(): SignalSnapshot
  restore(snapshot: SignalSnapshot): void
  /** Ignores later signals and rejects later queries. */
  close(): Promise<void>
}

/** Opens the database on first use. */
const createLazyDatabase = (signals: () => MemorySignals, clock: Clock) => {
  let opened: { readonly database: MemoryDatabase; readonly userSql: UserSql } | undefined
  const open = () => {
    const database = createMemoryDatabase(signals())
    return { database, userSql: createUserSql(database.address, clock) }
  }
  const discard = (): void => {
    opened?.userSql.close()
    opened?.database.close()
    opened = undefined
  }
  return {
    discard,
    /** Returns the database with the rows that the query needs. If a row cannot be written, the database is incomplete. */
    withRowsFor(sql: string) {
      opened ??= open()
      try {
        opened.database.fill(sql)
      } catch (error) {
        discard()
        throw error
      }
      return opened
    },
  }
}

export const createMemoryTelemetryStore = ({
  clock,
  maxBytes = DEFAULT_MAX_BYTES,
}: MemoryTelemetryStoreOptions): MemoryTelemetryStore => {
  let isClosed = false
  const checkOpen = (): void => {
    if (isClosed) throw new RemediumError('tool-failed', 'The telemetry store was closed.')
  }
  const signals = (): MemorySignals => {
    checkOpen()
    return arrays.signals
  }
  const { withRowsFor, discard } = createLazyDatabase(signals, clock)
  const arrays = createSignalArrays(maxBytes, discard)
  const { extent, ...arrayQueries } = createArrayQueries(signals)
  const unlessClosed =
    <Values extends unknown[]>(task: (...values: Values) => void) =>
    (...values: Values): void => {
      if (!isClosed) task(...values)
    }

  return {
    spans: unlessClosed(arrays.spans),
    logs: unlessClosed(arrays.logs),
    lines: unlessClosed(arrays.lines),
    metrics: unlessClosed(arrays.metrics),
    samples: unlessClosed(arrays.samples),
    events: unlessClosed(arrays.events),
    requests: unlessClosed(arrays.requests),
    journeys: unlessClosed(arrays.journeys),
    alert: unlessClosed(arrays.alert),
    mark: unlessClosed((name: string) => arrays.mark(clock.now(), name)),
    query: {
      ...createSqliteQuery(
        async (sql, parameters) => withRowsFor(sql).database.rows(sql, parameters),
        extent,
      ),
      ...arrayQueries,
    },
    async sql(text, parameters = [], scope) {
      const { userSql } = withRowsFor(text)
      try {
        return userSql.execute(toUserRequest(text, parameters, scope))
      } catch (error) {
        throw failedQueryError((error as Error).message)
      }
    },
    async flush() {
      checkOpen()
    },
    snapshot: arrays.snapshot,
    restore: arrays.restore,
    async close() {
      isClosed = true
      discard()
    },
  }
}
