/** Samples the entries of a store, and later checks which of them still exist with the same content, and how the store is set up. */
import { defined } from '#kit'
import { containersOf, type StoredContent, viewAs } from '#spec'
import type { StoreClient } from '#world/twin/stores'
import { findStorePod } from './find-store-pod.ts'
import { isPersisted } from './is-persisted.ts'
import { readRedis } from './redis-content.ts'
import { findSampled, sampleEntries } from './sampled-entries.ts'
import { protocolOf, queryStore, type StoreContext } from './store-client.ts'
import { readSettings } from './store-settings.ts'
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

const toRef = (protocol: TableRef['protocol'], name: string): TableRef => {
  const end = name.indexOf('.')
  return { protocol, database: name.slice(0, end), table: name.slice(end + 1) }
}

const nameOf = ({ database, table }: TableRef): string => `${database}.${table}`

type Contents = Pick<StoredContent, 'tables' | 'counts' | 'digests'>

/** Samples the tables, or looks the entries of `known` up. */
const readTables = async (
  client: StoreClient,
  refs: readonly TableRef[],
  known: StoredTables | undefined,
): Promise<Contents> => {
  const tables: Record<string, readonly string[]> = {}
  const counts: Record<string, number> = {}
  const digests: Record<string, string> = {}
  for (const ref of refs) {
    const name = nameOf(ref)
    const { sample, count, digest } = await (known === undefined
      ? sampleEntries(client, ref)
      : findSampled(client, ref, known[name] ?? []))
    tables[name] = sample
    counts[name] = count
    if (digest !== undefined) digests[name] = digest
  }
  return { tables, counts, digests }
}

export interface ContentRequest {
  /** Of the last observation; undefined if this is the first one. */
  readonly known?: StoredTables
  /** Whether to compare the files of the store with what it has written. */
  readonly checksFiles?: boolean
}

/**
 * Resolves to a sample, or to the entries of `known` that still exist, as they are now, with the number of all entries and the settings
 * of the store. Rejects if the store cannot be read.
 */
export const readContent = async (
  context: StoreContext,
  store: string,
  { known, checksFiles = false }: ContentRequest = {},
): Promise<StoredContent> => {
  const { system } = context
  const protocol = (protocolOf(system, store) ?? '') as TableRef['protocol'] | 'redis'
  const pod = await findStorePod(context, store)
  const [main] = containersOf(pod)
  const statuses = viewAs('Pod', pod).status?.containerStatuses ?? []
  const container = statuses.find(({ name }) => name === main?.name)?.containerID ?? ''
  const databases = system.topology?.services[store]?.behaviour.store?.databases ?? []
  return queryStore(context, store, {}, async (client) => {
    // Later observations do not list the tables: one that no longer exists has lost its entries.
    const refs =
      protocol === 'redis'
        ? []
        : known === undefined
          ? await listTables(client, protocol, databases)
          : Object.keys(known).map((name) => toRef(protocol, name))
    const contents =
      protocol === 'redis'
        ? await readRedis(client, String(pod.metadata.uid), known)
        : await readTables(client, refs, known)
    return {
      ...{ store, container, ...contents },
      settings: await readSettings(client, protocol, refs),
      ...(checksFiles ? defined({ isPersisted: await isPersisted(client, protocol, refs) }) : {}),
    }
  })
}
