/** The thread that writes a telemetry file: one transaction for each batch it is given. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskAtFault } from './is-disk-at-fault.ts'
import { createBoundKeeper } from './keep-within.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { noSignals, SIGNAL_KINDS, type SignalCounts } from './signal-kinds.ts'
import type { Series, WriteBatch, WriterCommand, WriterReply, WriterSettings } from './write-batch.ts'
import { createRowWriter } from './write-rows.ts'

/** How much of the log beside the file may stay there once it was copied into the file. */
const JOURNAL_BYTES = 4 * 2 ** 20

const { file, maxBytes } = workerData as WriterSettings
const database = new DatabaseSync(file, { timeout: 5000 })
// Telemetry that a failing machine takes along is no loss; a failing process takes nothing along.
database.exec(
  `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA journal_size_limit = ${JOURNAL_BYTES};
   BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
)
const writeRows = createRowWriter(database)
const keepWithin = createBoundKeeper(database, maxBytes)
const evictedAltogether = noSignals()

const sizeOf = (batch: WriteBatch): SignalCounts => ({
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

/** Later samples refer to them, so those of a batch that failed come with the next. */
let unwritten: readonly Series[] = []

const write = (batch: WriteBatch): WriterReply => {
  const series = [...unwritten, ...batch.series]
  unwritten = []
  try {
    database.exec('BEGIN')
    writeRows({ ...batch, series })
    const evicted = keepWithin()
    database.exec('COMMIT')
    for (const kind of SIGNAL_KINDS) evictedAltogether[kind] += evicted[kind]
    return { failed: noSignals(), evicted }
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK')
    unwritten = series
    return {
      failed: sizeOf(batch),
      evicted: noSignals(),
      problem: (error as Error).message,
      isDiskAtFault: isDiskAtFault(error, freeBytes),
    }
  }
}

const close = (dropped: SignalCounts): void => {
  const note = database.prepare('INSERT INTO losses (kind, dropped, evicted) VALUES (?, ?, ?)')
  for (const kind of SIGNAL_KINDS) note.run(kind, dropped[kind], evictedAltogether[kind])
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
  } catch {
    // Somebody reads it just now: the last reader tidies up.
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
