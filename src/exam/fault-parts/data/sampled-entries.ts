/** Samples the entries of a table or collection, looks sampled entries up by their keys, and counts all entries. */
import { toFingerprint } from '#exam/effects'
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
        mongo: { find: table, $db: database, filter: {}, limit: MAX_ENTRIES, batchSize: MAX_ENTRIES },
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

export interface ObservedTable {
  /** A sample, or those of an earlier sample that still exist. */
  readonly sample: readonly string[]
  readonly count: number
  /** A fingerprint of all entries; undefined if there are too many to read. */
  readonly digest: string | undefined
}

interface ReadEntry {
  readonly fingerprint: string
  readonly entry: Entry
}

const countEntries = async (
  client: StoreClient,
  { protocol, database, table }: TableRef,
): Promise<number> => {
  if (protocol === 'mongodb')
    return ((await client.query({ mongo: { count: table, $db: database } })) as { readonly n: number }).n
  const [row] = await select(client, `SELECT COUNT(*) AS n FROM \`${database}\`.\`${table}\``)
  return Number(row?.n ?? 0)
}

/** The entries of the table up to a limit, and the number of all. */
const readTable = async (client: StoreClient, ref: TableRef) => {
  const entries = (await readFirst(client, ref)).map(
    (entry): ReadEntry => ({ entry, fingerprint: fingerprintEntry(entry, ref) }),
  )
  if (entries.length === MAX_ENTRIES)
    return { entries, count: await countEntries(client, ref), digest: undefined }
  const fingerprints = entries.map(({ fingerprint }) => fingerprint).sort()
  return { entries, count: entries.length, digest: toFingerprint(fingerprints.join(' ')) }
}

/** The order of the sample depends only on the content of the entries. */
export const sampleEntries = async (client: StoreClient, ref: TableRef): Promise<ObservedTable> => {
  const columns = await listKeyColumns(client, ref)
  const { entries, ...table } = await readTable(client, ref)
  const sample = entries
    .sort((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1))
    .slice(0, MAX_SAMPLE)
    .map(({ fingerprint, entry }) => {
      const key = Object.fromEntries(columns.map((column) => [column, entry[column]]))
      return toRecorded(columns.length === 0 ? undefined : key, fingerprint)
    })
  return { sample, ...table }
}

/** Resolves to those of the sampled entries that still exist, with the fingerprints that they have now. */
export const findSampled = async (
  client: StoreClient,
  ref: TableRef,
  sampled: readonly string[],
): Promise<ObservedTable> => {
  const { entries, ...table } = await readTable(client, ref)
  // At the limit, a sampled entry may exist among the entries that were not read.
  const areAllRead = table.digest !== undefined
  const keys = sampled.map(keyOfRecorded).filter((key) => key !== undefined)
  if (keys.length === 0) {
    const present = new Set(entries.map(({ fingerprint }) => fingerprint))
    return { sample: sampled.filter((fingerprint) => !areAllRead || present.has(fingerprint)), ...table }
  }
  const find = ref.protocol === 'mysql' ? findRows : findDocuments
  const found = areAllRead ? entries.map(({ entry }) => entry) : await find(client, ref, keys)
  const fingerprints = new Map<string, string>()
  for (const entry of found) {
    const key = Object.fromEntries(Object.keys(keys[0]!).map((column) => [column, entry[column]]))
    fingerprints.set(JSON.stringify(key), fingerprintEntry(entry, ref))
  }
  const sample = keys.flatMap((key) => {
    const fingerprint = fingerprints.get(JSON.stringify(key))
    return fingerprint === undefined ? [] : [toRecorded(key, fingerprint)]
  })
  return { sample, ...table }
}
