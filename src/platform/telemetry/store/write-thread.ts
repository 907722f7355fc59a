/** The thread that writes a telemetry file, with one transaction per batch. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { createEvictor } from './evictor.ts'
import { isDiskFailure } from './is-disk-failure.ts'
import { createRowWriter } from './row-writer.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { addCounts, noSignals, SIGNAL_KINDS, type SignalCounts } from './signal-kinds.ts'
import type { Series, WriteBatch, WriterCommand, WriterReply, WriterSettings } from './write-batch.ts'

/** Maximum size of the write-ahead log after a checkpoint. */
const JOURNAL_BYTES = 4 * 2 ** 20

const { file, maxBytes } = workerData as WriterSettings
const database = new DatabaseSync(file, { timeout: 5000 })
// With synchronous = OFF, the file survives a crash of the process. A crash of the machine may lose telemetry, which is
// acceptable.
database.exec(
  `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA journal_size_limit = ${JOURNAL_BYTES};
   BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
)
const writeRows = createRowWriter(database)
const evict = createEvictor(database, maxBytes)
const evictedTotal = noSignals()

const countSignals = (batch: WriteBatch): SignalCounts => ({
  ...noSignals(),
  ...Object.fromEntries(
    SIGNAL_KINDS.map((kind) => [
      kind,
      kind === 'metrics' ? batch.samples.length / 3 : (batch[kind] as readonly unknown[]).length,
    ]),
  ),
})

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}

/** Series of a failed batch are written with the next one, because later samples refer to them. */
let unwrittenSeries: readonly Series[] = []

const write = (batch: WriteBatch): WriterReply => {
  const series = [...unwrittenSeries, ...batch.series]
  unwrittenSeries = []
  try {
    database.exec('BEGIN')
    writeRows({ ...batch, series })
    const evicted = evict()
    database.exec('COMMIT')
    addCounts(evictedTotal, evicted)
    return { failed: noSignals(), evicted }
  } catch (error) {
    // If the disk is full, SQLite may already have rolled back the transaction.
    if (database.isTransaction) database.exec('ROLLBACK')
    unwrittenSeries = series
    return {
      failed: countSignals(batch),
      evicted: noSignals(),
      problem: (error as Error).message,
      isDiskFailure: isDiskFailure(error, freeBytes),
    }
  }
}

const close = (dropped: SignalCounts): void => {
  const insertLoss = database.prepare('INSERT INTO losses (kind, dropped, evicted) VALUES (?, ?, ?)')
  for (const kind of SIGNAL_KINDS) insertLoss.run(kind, dropped[kind], evictedTotal[kind])
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
  } catch {
    // Another process is reading the file. The last reader removes the journal.
  }
  database.close()
}

parentPort!.postMessage({ failed: noSignals(), evicted: noSignals() } satisfies WriterReply)
parentPort!.on('message', (message: WriterCommand) => {
  if (message.command === 'write') {
    parentPort!.postMessage(write(message.batch))
    return
  }
  try {
    close(message.dropped)
  } finally {
    parentPort!.close()
  }
})
