/** Samples the entries of a store, and later checks which of them still exist with the same content. */
import { containersOf, type StoredContent, viewAs } from '#spec'
import type { StoreClient } from '#world/twin/stores'
import { findStorePod } from './find-store-pod.ts'
import { readRedis } from './redis-content.ts'
import { protocolOf, queryStore, type StoreContext } from './store-client.ts'
import { readEntries, type TableRef } from './stored-entries.ts'

type StoredTables = StoredContent['tables']

/** Protocols of stores that are not caches. A cache may lose all entries at any time, and services fetch them again. */
export const DATA_PROTOCOLS: readonly string[] = ['mysql', 'mongodb', 'redis']

/** The number of sampled entries per table. */
const MAX_SAMPLE = 30
const MAX_ENTRIES = 1000
const SYSTEM_DATABASES = ['admin', 'config', 'local']

const listTables = async (client: StoreClient, protocol: string, databases: readonly string[]) => {
  const refs: TableRef[] = []
  if (protocol === 'mysql')
    for (const database of databases) {
      const rows = await client.query({ sql: { statement: `SHOW TABLES FROM ${database}`, parameters: [] } })
      for (const row of rows as readonly object[])
        refs.push({ protocol, database, table: String(Object.values(row)[0]) })
    }
  if (protocol === 'mongodb') {
    const found = await client.query({ mongo: { listDatabases: 1, $db: 'admin' } })
    for (const { name: database } of (found as { databases: readonly { name: string }[] }).databases) {
      if (SYSTEM_DATABASES.includes(database)) continue
      const collections = await client.query({ mongo: { listCollections: 1, $db: database } })
      for (const { name: table } of collections as readonly { name: string }[])
        refs.push({ protocol, database, table })
    }
  }
  return refs
}

const readTables = async (
  client: StoreClient,
  refs: readonly TableRef[],
  known: StoredTables | undefined,
): Promise<StoredTables> => {
  const tables: Record<string, readonly string[]> = {}
  for (const ref of refs) {
    const name = `${ref.database}.${ref.table}`
    if (known !== undefined && (known[name] ?? []).length === 0) continue
    const entries = await readEntries(client, ref, MAX_ENTRIES)
    const present = new Set(entries)
    const kept = known?.[name]?.filter((entry) => present.has(entry)) ?? entries.slice(0, MAX_SAMPLE)
    // At the limit, a sampled entry may exist among the entries that were not read.
    tables[name] = known !== undefined && entries.length === MAX_ENTRIES ? known[name]! : kept
  }
  return tables
}

/** Resolves to a sample, or to the entries of `known` that still exist. Rejects if the store cannot be read. */
export const readContent = async (
  context: StoreContext,
  store: string,
  known?: StoredTables,
): Promise<StoredContent> => {
  const { system } = context
  const protocol = protocolOf(system, store) ?? ''
  const pod = await findStorePod(context, store)
  const [main] = containersOf(pod)
  const statuses = viewAs('Pod', pod).status?.containerStatuses ?? []
  const container = statuses.find(({ name }) => name === main?.name)?.containerID ?? ''
  const databases = system.topology?.services[store]?.behaviour.store?.databases ?? []
  const tables = await queryStore(context, store, {}, async (client) =>
    protocol === 'redis'
      ? readRedis(client, String(pod.metadata.uid), known)
      : readTables(client, await listTables(client, protocol, databases), known),
  )
  return { store, container, tables }
}
