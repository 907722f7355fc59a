/** One SQLite file that takes in signals without ever making those wait who send them. */
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../../kit/index.ts'
import { RemediumError, type TelemetryQuery, type TelemetrySink } from '../../spec/index.ts'
import { createSqliteQuery } from '../query/create-sqlite-query.ts'
import { createSqlReader, type SqlReader } from '../query/sql-reader.ts'
import { addCounts, noSignals, type SignalCounts } from './signal-kinds.ts'
import { createSignalQueue } from './signal-queue.ts'
import type { WriterCommand, WriterReply } from './write-batch.ts'

const FLUSH_MS = 250
const DEFAULT_BYTES = 256 * 2 ** 20
/** Less would not hold the empty tables and one batch. */
export const LEAST_BYTES = 2 ** 20
const MOST_QUEUED = 100_000

export interface TelemetryStoreOptions {
  /** Must not be there yet. */
  file: string
  clock: Clock
  /** What the file may grow to; 256 MiB where absent. */
  maxBytes?: number
  /** Signals that may wait to be written; 100,000 where absent. */
  maxQueued?: number
  onError?(error: Error): void
}

export interface TelemetryStore extends TelemetrySink {
  readonly file: string
  readonly query: TelemetryQuery
  /** Read-only SQL over the tables that docs/telemetry.md describes. */
  readonly sql: SqlReader['sql']
  /** Notes when something began: `ready`, `reset`. */
  mark(name: string): void
  /**
   * Resolves when all that came before can be read. Once the disk, or the thread that writes, has lost some of it, this rejects,
   * and so does whoever asks: what was lost must not be taken for nothing. What was too much to be kept counts as dropped.
   */
  flush(): Promise<void>
  /** What found no room in the queue or could not be written. */
  dropped(): Readonly<SignalCounts>
  /** What was written and has made room since. */
  evicted(): Readonly<SignalCounts>
  /** Leaves one plain file. */
  close(): Promise<void>
}

export const createTelemetryStore = (options: TelemetryStoreOptions): TelemetryStore => {
  const { file, clock, maxBytes = DEFAULT_BYTES, maxQueued = MOST_QUEUED, onError = () => {} } = options
  const queue = createSignalQueue(maxQueued)
  const failed = noSignals()
  const evicted = noSignals()
  const worker = new Worker(new URL('./write-thread.ts', import.meta.url), {
    workerData: { file, maxBytes: Math.max(LEAST_BYTES, maxBytes) },
    name: 'telemetry',
    execArgv: [],
  })
  worker.unref()
  /** The first thing that the thread tells is that the file is there. */
  let writing: PromiseWithResolvers<void> | undefined = Promise.withResolvers()
  let closing: Promise<void> | undefined
  let hasEnded = false
  let lost: RemediumError | undefined
  let timer: Timer
  const reader = createSqlReader({ file, clock })

  const lose = (why: string): void => {
    lost ??= new RemediumError('record-lost', `The telemetry file ${file} cannot be written: ${why}.`, {
      hint: 'See whether the disk is full.',
    })
  }
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true
      queue.end()
      writing?.resolve()
      writing = undefined
      if (closing === undefined) {
        lose('the thread that writes it has ended')
        onError(new Error('the thread that writes telemetry has ended'))
      }
      resolve()
    })
  })
  worker.once('error', (thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    lose(error.message)
    onError(error)
  })
  worker.on('message', (reply: WriterReply) => {
    addCounts(failed, reply.failed)
    addCounts(evicted, reply.evicted)
    if (reply.problem !== undefined) {
      if (reply.isDiskAtFault === true) lose(reply.problem)
      onError(new Error(`telemetry was not written: ${reply.problem}`))
    }
    writing?.resolve()
    writing = undefined
  })

  const tell = (command: WriterCommand): void => worker.postMessage(command)

  /** Only one batch is on its way, so that what the thread cannot manage piles up here, where it is bounded. */
  const write = (): void => {
    if (hasEnded || writing !== undefined || queue.size() === 0) return
    writing = Promise.withResolvers()
    tell({ command: 'write', batch: queue.take() })
  }

  const tick = (): void => {
    write()
    timer = clock.after(FLUSH_MS, tick)
  }
  timer = clock.after(FLUSH_MS, tick)

  const settle = async (): Promise<void> => {
    worker.ref()
    try {
      await writing?.promise
      write()
      await writing?.promise
    } finally {
      if (closing === undefined) worker.unref()
    }
  }

  const flush = async (): Promise<void> => {
    await settle()
    if (lost !== undefined) throw lost
  }

  const close = async (): Promise<void> => {
    timer.cancel()
    await settle()
    queue.end()
    await reader.close()
    worker.ref()
    const dropped = noSignals()
    addCounts(dropped, queue.dropped)
    addCounts(dropped, failed)
    tell({ command: 'close', dropped })
    await ended
  }

  return {
    ...queue,
    file,
    query: createSqliteQuery(async (sql, parameters) => {
      await flush()
      return await reader.rows(sql, parameters)
    }),
    async sql(...asked) {
      await flush()
      return await reader.sql(...asked)
    },
    mark: (name) => queue.mark(clock.now(), name),
    flush,
    dropped() {
      const sum = noSignals()
      addCounts(sum, queue.dropped)
      addCounts(sum, failed)
      return sum
    },
    evicted: () => ({ ...evicted }),
    close() {
      closing ??= close()
      return closing
    },
  }
}
