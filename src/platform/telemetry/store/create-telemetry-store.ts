/** Stores signals in a SQLite file. Senders never wait: a queue and a writer thread decouple them from the disk. */
import type { Clock, Timer } from '#kit'
import type { TelemetryQuery, TelemetrySink } from '#spec'
import { createSqliteQuery } from '../query/create-sqlite-query.ts'
import { createSqlReader, type SqlReader } from '../query/sql-reader.ts'
import { type SignalCounts, sumCounts } from './signal-kinds.ts'
import { createSignalQueue } from './signal-queue.ts'
import { createWriter } from './writer.ts'

const FLUSH_PERIOD_MS = 250
const DEFAULT_MAX_BYTES = 256 * 2 ** 20
/** The minimum for the empty tables and one batch. */
export const MIN_BYTES = 2 ** 20
const DEFAULT_MAX_QUEUED = 100_000

export interface TelemetryStoreOptions {
  /** Must not exist yet. */
  file: string
  clock: Clock
  /** Maximum size of the file; 256 MiB by default. */
  maxBytes?: number
  /** Maximum number of queued signals; 100,000 by default. */
  maxQueued?: number
  onError?(error: Error): void
}

export interface TelemetryStore extends TelemetrySink {
  readonly file: string
  readonly query: TelemetryQuery
  /** Runs read-only SQL; docs/telemetry.md describes the tables. */
  readonly sql: SqlReader['sql']
  /** Records the start of an epoch: `ready`, `reset`. */
  mark(name: string): void
  /**
   * Resolves when all earlier signals can be read. Rejects once the disk or the writer thread has lost signals, and so do all
   * queries: a loss must not look like an empty result. Signals above the limits only count as dropped.
   */
  flush(): Promise<void>
  /** Signals that exceeded the queue or could not be written. */
  dropped(): Readonly<SignalCounts>
  /** Signals that were deleted to keep the file within its limit. */
  evicted(): Readonly<SignalCounts>
  /** Leaves a single file, without a journal. */
  close(): Promise<void>
}

export const createTelemetryStore = (options: TelemetryStoreOptions): TelemetryStore => {
  const { file, clock, onError = () => {} } = options
  const { maxBytes = DEFAULT_MAX_BYTES, maxQueued = DEFAULT_MAX_QUEUED } = options
  const queue = createSignalQueue(maxQueued)
  const writer = createWriter({ file, maxBytes: Math.max(MIN_BYTES, maxBytes), onError, onExit: queue.end })
  const reader = createSqlReader({ file, clock })
  let closing: Promise<void> | undefined
  let timer: Timer

  /** At most one batch is in flight, so that a backlog builds up in the queue, where it is limited. */
  const write = (): void => {
    if (writer.isIdle() && queue.size() > 0) writer.write(queue.take())
  }
  const tick = (): void => {
    write()
    timer = clock.after(FLUSH_PERIOD_MS, tick)
  }
  timer = clock.after(FLUSH_PERIOD_MS, tick)

  const drain = (): Promise<void> =>
    writer.keepAlive(async () => {
      await writer.idle()
      write()
      await writer.idle()
    })
  const flush = async (): Promise<void> => {
    await drain()
    writer.throwIfLost()
  }
  const dropped = (): SignalCounts => sumCounts(queue.dropped, writer.failed)

  const close = async (): Promise<void> => {
    timer.cancel()
    await drain()
    queue.end()
    await reader.close()
    await writer.close(dropped())
  }

  return {
    ...queue,
    file,
    query: createSqliteQuery(async (sql, parameters) => {
      await flush()
      return await reader.rows(sql, parameters)
    }),
    async sql(...query) {
      await flush()
      return await reader.sql(...query)
    },
    mark: (name) => queue.mark(clock.now(), name),
    flush,
    dropped,
    evicted: () => ({ ...writer.evicted }),
    close() {
      closing ??= close()
      return closing
    },
  }
}
