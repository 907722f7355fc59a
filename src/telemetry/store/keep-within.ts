/** Keeps a telemetry file within its bound: the oldest rows of the fattest table go. */
import type { DatabaseSync } from 'node:sqlite'
import { noSignals, type SignalCounts, type SignalKind } from './signal-kinds.ts'

/** Room for what comes until it is looked again. */
const FULL_SHARE = 0.85
const GOAL_SHARE = 0.75
/** Of its oldest rows, at a time. */
const SLICE = 0.1

/** Alerts, and what series there are, are few and worth keeping. */
const TABLES: Readonly<Record<string, SignalKind>> = {
  spans: 'spans',
  logs: 'logs',
  samples: 'metrics',
  events: 'events',
  requests: 'requests',
  journeys: 'journeys',
}

const numberOf = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0)

/** Bytes of each table and its indices. Reads the whole file, so it is asked once for many rows. */
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

/** Deletes where it must; says what had to go. */
export const createBoundKeeper = (database: DatabaseSync, maxBytes: number): (() => SignalCounts) => {
  const pageBytes = numberOf(database, 'PRAGMA page_size')
  // Beyond this SQLite itself refuses: whatever else goes wrong, the disk is not filled.
  database.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / pageBytes)}`)
  const used = (): number =>
    (numberOf(database, 'PRAGMA page_count') - numberOf(database, 'PRAGMA freelist_count')) * pageBytes

  return () => {
    const evicted = noSignals()
    if (used() < FULL_SHARE * maxBytes) return evicted
    const sizes = sizesOf(database)
    for (let round = 0; round < 100 && used() > GOAL_SHARE * maxBytes; round += 1) {
      const [table, bytes] = [...sizes].reduce((fattest, one) => (one[1] > fattest[1] ? one : fattest))
      sizes.set(table, bytes * (1 - SLICE))
      const { first, last } = database
        .prepare(`SELECT min(id) AS first, max(id) AS last FROM ${table}`)
        .get() as { first: number | null; last: number | null }
      if (first === null || last === null) break
      const until = first + Math.floor((last - first) * SLICE)
      const { changes } = database.prepare(`DELETE FROM ${table} WHERE id <= ?`).run(until)
      evicted[TABLES[table]!] += Number(changes)
    }
    return evicted
  }
}
