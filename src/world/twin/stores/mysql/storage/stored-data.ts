/** The data of a MySQL server in memory, as changes and snapshots write it. */
import type { Accounts } from '../accounts.ts'
import type { Databases } from '../databases.ts'
import { type Entry, type Position, type SnapshotStart, toLine } from './history.ts'

export interface StoredData {
  readonly databases: Databases
  readonly accounts: Accounts
}

/** Applies a logged change without checks. */
export const applyEntry = ({ databases, accounts }: StoredData, entry: Entry): void => {
  databases.now = entry.time
  for (const change of entry.accounts ?? []) accounts.apply(change)
  if (entry.createDatabase !== undefined) databases.create(entry.createDatabase)
  if (entry.dropDatabase !== undefined && databases.has(entry.dropDatabase))
    databases.drop(entry.dropDatabase)
  if (entry.database !== undefined && entry.sql !== undefined) databases.write(entry.database, entry.sql)
  databases.now = 0
}

/** Replaces the data with the start of a snapshot; its other parts are written to the databases. */
export const startSnapshot = ({ databases, accounts }: StoredData, start: SnapshotStart): void => {
  databases.clear()
  accounts.load(start.accounts)
  for (const name of start.databases) databases.create(name)
}

/** The lines of a snapshot of the data at a position. */
export function* dumpSnapshot({ databases, accounts }: StoredData, position: Position): Iterable<string> {
  const names = databases.names()
  yield toLine({ beginning: position, accounts: accounts.list(), databases: names })
  for (const name of names) for (const sql of databases.dump(name)) yield toLine({ load: name, sql })
}
