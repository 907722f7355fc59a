/** A SQLite database in memory with the tables of a telemetry file, filled when it is queried. */
import { DatabaseSync } from 'node:sqlite'
import { threadId } from 'node:worker_threads'
import { createSampleConverter } from '../../collect/sample-converter.ts'
import { createSqlExecutor } from '../../query/sql-executor.ts'
import type { SqlParameter, SqlRow } from '../../query/sql-request.ts'
import { createRowWriter } from '../row-writer.ts'
import { SCHEMA } from '../schema.ts'
import { createSeriesIds } from '../series-ids.ts'
import type { Series, WriteBatch } from '../write-batch.ts'
import { lineOf, type MemorySignals } from './memory-signals.ts'

/** The names in a query that need the signals: their tables, and views over them. */
const NAMES: { readonly [Kind in keyof MemorySignals]: RegExp } = {
  spans: /spans|edge|endpoints/i,
  lines: /logs/i,
  samples: /samples|series|metrics/i,
  events: /events/i,
  requests: /requests/i,
  journeys: /journeys/i,
  alerts: /alerts/i,
  epochs: /epochs/i,
}

const KINDS = Object.keys(NAMES) as (keyof MemorySignals)[]

const EMPTY_BATCH: WriteBatch = {
  spans: [],
  logs: [],
  series: [],
  samples: new Float64Array(),
  events: [],
  requests: [],
  journeys: [],
  alerts: [],
  epochs: [],
}

/** Databases in memory are shared by name within a process. */
let databases = 0

export interface MemoryDatabase {
  /** The address for further connections of this process. */
  readonly address: string
  /** Adds the rows that the query needs. */
  fill(sql: string): void
  /** Runs a trusted query over the rows so far, and returns all rows of its result. */
  rows(sql: string, parameters: readonly SqlParameter[]): readonly SqlRow[]
  close(): void
}

/** Converts new batches of samples to rows. */
const createSampleRows = () => {
  const convert = createSampleConverter()
  let newSeries: Series[] = []
  const idOf = createSeriesIds((series) => newSeries.push(series))
  return (batches: MemorySignals['samples']): Pick<WriteBatch, 'series' | 'samples'> => {
    newSeries = []
    const samples: number[] = []
    for (const batch of batches)
      for (const sample of convert(batch)) {
        const series = idOf(sample)
        if (series !== undefined) samples.push(series, sample.time, sample.value)
      }
    return { series: newSeries, samples: Float64Array.from(samples) }
  }
}

/** `signals` must only grow while the database is open. */
export const createMemoryDatabase = (signals: MemorySignals): MemoryDatabase => {
  databases += 1
  const address = `file:/telemetry-${threadId}-${databases}?vfs=memdb`
  const database = new DatabaseSync(address)
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${SCHEMA}`)
  const reader = new DatabaseSync(address, { readOnly: true })
  const executeTrusted = createSqlExecutor(reader)
  const writeRows = createRowWriter(database)
  const toSampleRows = createSampleRows()
  /** Number of written signals. */
  const written = new Map<keyof MemorySignals, number>()

  const newRows = (kind: keyof MemorySignals): Partial<WriteBatch> => {
    const from = written.get(kind) ?? 0
    written.set(kind, signals[kind].length)
    if (kind === 'lines') return { logs: signals.lines.slice(from).map(lineOf) }
    if (kind === 'samples') return toSampleRows(signals.samples.slice(from))
    return { [kind]: signals[kind].slice(from) }
  }

  const fill = (sql: string): void => {
    const due = KINDS.filter(
      (kind) => signals[kind].length > (written.get(kind) ?? 0) && NAMES[kind].test(sql),
    )
    if (due.length === 0) return
    database.exec('BEGIN')
    for (const kind of due) writeRows({ ...EMPTY_BATCH, ...newRows(kind) })
    database.exec('COMMIT')
  }

  return {
    address,
    fill,
    rows(sql, parameters) {
      const maxRows = Number.MAX_SAFE_INTEGER
      return executeTrusted({ sql, parameters, maxRows, isGuarded: false }).rows
    },
    close() {
      reader.close()
      database.close()
    },
  }
}
