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

/** Indices are created after the first rows of their table, because that is faster. */
const INDEX = /CREATE INDEX \w+ ON (\w+)[^;]*;/g
const SCHEMA_WITHOUT_INDICES = SCHEMA.replace(INDEX, '')

const createIndices = (database: DatabaseSync, kind: keyof MemorySignals): void => {
  const table = kind === 'lines' ? 'logs' : kind
  for (const [sql, indexed] of SCHEMA.matchAll(INDEX)) if (indexed === table) database.exec(sql)
}

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
  /** Runs a trusted query over the current rows, and returns all rows of its result. */
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
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${SCHEMA_WITHOUT_INDICES}`)
  const reader = new DatabaseSync(address, { readOnly: true })
  const executeTrusted = createSqlExecutor(reader)
  const writeRows = createRowWriter(database)
  const toSampleRows = createSampleRows()
  /** Number of written signals. */
  const written = new Map<keyof MemorySignals, number>()

  const newRows = (kind: keyof MemorySignals, from: number): Partial<WriteBatch> => {
    if (kind === 'lines') return { logs: signals.lines.slice(from).map(lineOf) }
    if (kind === 'samples') return toSampleRows(signals.samples.slice(from))
    return { [kind]: signals[kind].slice(from) }
  }
  const writeNew = (kind: keyof MemorySignals): void => {
    const from = written.get(kind) ?? 0
    if (signals[kind].length === from) return
    database.exec('BEGIN')
    writeRows({ ...EMPTY_BATCH, ...newRows(kind, from) })
    if (from === 0) createIndices(database, kind)
    database.exec('COMMIT')
    written.set(kind, signals[kind].length)
  }
  const fill = (sql: string): void => {
    for (const kind of KINDS) if (NAMES[kind].test(sql)) writeNew(kind)
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
