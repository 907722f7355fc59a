/** Keeps a telemetry file within its maximum size: deletes the oldest rows of the largest table. */
import type { DatabaseSync } from 'node:sqlite'
import { noSignals, type SignalCounts, type SignalKind } from './signal-kinds.ts'

/** Shares of the maximum size. The difference leaves space for the next batches. */
export const EVICT_ABOVE_SHARE = 0.85
export const EVICT_TO_SHARE = 0.75
/** Share of the rows of a table that is deleted at a time. */
export const SLICE_SHARE = 0.1

/** Alerts and series are never evicted: they are few. */
const TABLES: Readonly<Record<string, SignalKind>> = {
  spans: 'spans',
  logs: 'logs',
  samples: 'metrics',
  events: 'events',
  requests: 'requests',
  journeys: 'journeys',
}

const queryNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0)

/** Bytes of each table and its indices. Reads the whole file, so it is called once per eviction. */
const sizesOf = (database: DatabaseSync): Map<string, number> => {
  const sizes = new Map(Object.keys(TABLES).map((table) => [table, 0]))
  for (const { name, bytes } of database
    .prepare('SELECT name, pgsize AS bytes FROM dbstat WHERE aggregate = TRUE')
    .all()) {
    const [table] = String(name).split('_') as [string]
    if (sizes.has(table)) sizes.set(table, sizes.get(table)! + Number(bytes))
  }
  return sizes
}

/** Returns a function that evicts rows if needed, and returns the number of evicted signals. */
export const createEvictor = (database: DatabaseSync, maxBytes: number): (() => SignalCounts) => {
  const pageBytes = queryNumber(database, 'PRAGMA page_size')
  // A hard limit enforced by SQLite, so that the file can never fill the disk.
  database.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / pageBytes)}`)
  const usedBytes = (): number =>
    (queryNumber(database, 'PRAGMA page_count') - queryNumber(database, 'PRAGMA freelist_count')) * pageBytes

  return () => {
    const evicted = noSignals()
    if (usedBytes() < EVICT_ABOVE_SHARE * maxBytes) return evicted
    const sizes = sizesOf(database)
    for (let round = 0; round < 100 && usedBytes() > EVICT_TO_SHARE * maxBytes; round += 1) {
      const [table, bytes] = [...sizes].reduce((largest, entry) => (entry[1] > largest[1] ? entry : largest))
      sizes.set(table, bytes * (1 - SLICE_SHARE))
      const { first, last } = database
        .prepare(`SELECT min(id) AS first, max(id) AS last FROM ${table}`)
        .get() as { first: number | null; last: number | null }
      if (first === null || last === null) break
      const lastEvictedId = first + Math.floor((last - first) * SLICE_SHARE)
      const { changes } = database.prepare(`DELETE FROM ${table} WHERE id <= ?`).run(lastEvictedId)
      evicted[TABLES[table]!] += Number(changes)
    }
    return evicted
  }
}
