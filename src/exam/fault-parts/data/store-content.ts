/** Samples the entries of a store, and later checks which of them still exist with the same content. */
import { containersOf, type StoredContent, viewAs } from '#spec'
import type { StoreClient } from '#world/twin/stores'
import { findStorePod } from './find-store-pod.ts'
import { readRedis } from './redis-content.ts'
import { findSampled, sampleEntries } from './sampled-entries.ts'
import { protocolOf, queryStore, type StoreContext } from './store-client.ts'
import type { TableRef } from './stored-entries.ts'

type StoredTables = StoredContent['tables']

/** Protocols of stores that are not caches. A cache may lose all entries at any time, and services fetch them again. */
export const DATA_PROTOCOLS: readonly string[] = ['mysql', 'mongodb', 'redis']

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

const sampleTables = async (client: StoreClient, refs: readonly TableRef[]): Promise<StoredTables> => {
  const tables: Record<string, readonly string[]> = {}
  for (const ref of refs) tables[`${ref.database}.${ref.table}`] = await sampleEntries(client, ref)
  return tables
}

const toRef = (protocol: TableRef['protocol'], name: string): TableRef => {
  const end = name.indexOf('.')
  return { protocol, database: name.slice(0, end), table: name.slice(end + 1) }
}

/** Does not list the tables: one that no longer exists has lost its entries. */
const readTables = async (
  client: StoreClient,
  protocol: TableRef['protocol'],
  known: StoredTables,
): Promise<StoredTables> => {
  const tables: Record<string, readonly string[]> = {}
  for (const [name, entries] of Object.entries(known))
    if (entries.length > 0) tables[name] = await findSampled(client, toRef(protocol, name), entries)
  return tables
}

/** Resolves to a sample, or to the entries of `known` that still exist, as they are now. Rejects if the store cannot be read. */
export const readContent = async (
  context: StoreContext,
  store: string,
  known?: StoredTables,
): Promise<StoredContent> => {
  const { system } = context
  const protocol = (protocolOf(system, store) ?? '') as TableRef['protocol'] | 'redis'
  const pod = await findStorePod(context, store)
  const [main] = containersOf(pod)
  const statuses = viewAs('Pod', pod).status?.containerStatuses ?? []
  const container = statuses.find(({ name }) => name === main?.name)?.containerID ?? ''
  const databases = system.topology?.services[store]?.behaviour.store?.databases ?? []
  const tables = await queryStore(context, store, {}, async (client) => {
    if (protocol === 'redis') return readRedis(client, String(pod.metadata.uid), known)
    return known === undefined
      ? sampleTables(client, await listTables(client, protocol, databases))
      : readTables(client, protocol, known)
  })
  return { store, container, tables }
}
