/** Samples the entries of a table or collection, and looks sampled entries up by their keys. */
import { CallFailure, loadMongoConnection, type StoreClient } from '#world/twin/stores'
import type { Entry } from './seeds.ts'
import { fingerprintEntry, type TableRef } from './stored-entries.ts'

/** The columns of the primary key, or the id of a document, with their values. */
type Key = Readonly<Record<string, unknown>>

const MONGO_ID = '_id'
/** The number of entries from which a sample is drawn, and that are read of a table without a key. */
const MAX_ENTRIES = 1000
const MAX_SAMPLE = 30
/** No such table, database or column; the twin answers 1046 if the database of a table does not exist. */
const NOT_FOUND = /\b(1046|1049|1054|1146)\b/
const OBJECT_ID = /^[0-9a-f]{24}$/

/** The recorded form of an entry: its key, if it has one, and a fingerprint of its content. */
const toRecorded = (key: Key | undefined, fingerprint: string): string =>
  key === undefined ? fingerprint : `${JSON.stringify(key)} ${fingerprint}`

const keyOfRecorded = (recorded: string): Key | undefined => {
  const end = recorded.lastIndexOf(' ')
  return end < 0 ? undefined : (JSON.parse(recorded.slice(0, end)) as Key)
}

const select = (client: StoreClient, statement: string, parameters: readonly unknown[] = []) =>
  client.query({ sql: { statement, parameters } }).catch((error) => {
    if (error instanceof CallFailure && error.kind === 'answer' && NOT_FOUND.test(error.message)) return []
    throw error
  }) as Promise<readonly Entry[]>

const listKeyColumns = async (client: StoreClient, { protocol, database, table }: TableRef) => {
  if (protocol === 'mongodb') return [MONGO_ID]
  const columns = await select(client, `SHOW COLUMNS FROM \`${table}\` FROM \`${database}\``)
  return columns.flatMap(({ Field, Key }) => (Key === 'PRI' ? [String(Field)] : []))
}

const readFirst = async (client: StoreClient, { protocol, database, table }: TableRef) =>
  protocol === 'mysql'
    ? select(client, `SELECT * FROM \`${database}\`.\`${table}\` LIMIT ${MAX_ENTRIES}`)
    : ((await client.query({
        mongo: { find: table, $db: database, filter: {}, limit: MAX_ENTRIES },
      })) as readonly Entry[])

/** Clients return generated ids as text, so that the type of an id is not known. */
const findDocuments = async (client: StoreClient, { database, table }: TableRef, keys: readonly Key[]) => {
  const { ObjectId } = await loadMongoConnection()
  const ids = keys.flatMap(({ [MONGO_ID]: id }) =>
    typeof id === 'string' && OBJECT_ID.test(id) ? [id, new ObjectId(id)] : [id],
  )
  const mongo = { find: table, $db: database, filter: { [MONGO_ID]: { $in: ids } }, limit: 2 * ids.length }
  return (await client.query({ mongo })) as readonly Entry[]
}

const findRows = (client: StoreClient, { database, table }: TableRef, keys: readonly Key[]) => {
  const condition = keys
    .map(
      (key) =>
        `(${Object.keys(key)
          .map((column) => `\`${column}\` = ?`)
          .join(' AND ')})`,
    )
    .join(' OR ')
  const values = keys.flatMap((key) => Object.values(key))
  return select(client, `SELECT * FROM \`${database}\`.\`${table}\` WHERE ${condition}`, values)
}

/** Resolves to a sample of the entries. The order depends only on their content. */
export const sampleEntries = async (client: StoreClient, ref: TableRef): Promise<readonly string[]> => {
  const columns = await listKeyColumns(client, ref)
  const entries = (await readFirst(client, ref)).map((entry) => {
    const key = Object.fromEntries(columns.map((column) => [column, entry[column]]))
    return [fingerprintEntry(entry, ref), columns.length === 0 ? undefined : key] as const
  })
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MAX_SAMPLE)
    .map(([fingerprint, key]) => toRecorded(key, fingerprint))
}

/** Resolves to those of the entries that still exist, with the fingerprints that they have now. */
export const findSampled = async (
  client: StoreClient,
  ref: TableRef,
  sampled: readonly string[],
): Promise<readonly string[]> => {
  if (sampled.length === 0) return []
  const keys = sampled.map(keyOfRecorded).filter((key) => key !== undefined)
  if (keys.length === 0) {
    const found = await readFirst(client, ref)
    // At the limit, a sampled entry may exist among the entries that were not read.
    if (found.length === MAX_ENTRIES) return sampled
    const present = new Set(found.map((entry) => fingerprintEntry(entry, ref)))
    return sampled.filter((fingerprint) => present.has(fingerprint))
  }
  const find = ref.protocol === 'mysql' ? findRows : findDocuments
  const fingerprints = new Map<string, string>()
  for (const entry of await find(client, ref, keys)) {
    const key = Object.fromEntries(Object.keys(keys[0]!).map((column) => [column, entry[column]]))
    fingerprints.set(JSON.stringify(key), fingerprintEntry(entry, ref))
  }
  return keys.flatMap((key) => {
    const fingerprint = fingerprints.get(JSON.stringify(key))
    return fingerprint === undefined ? [] : [toRecorded(key, fingerprint)]
  })
}
