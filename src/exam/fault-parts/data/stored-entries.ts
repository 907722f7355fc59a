/** Fingerprints the entries of a table or collection by content, and counts missing ones. */
import { toFingerprint } from '#exam/effects'
import { CallFailure, type StoreClient } from '#world/twin/stores'
import type { Entry } from './seeds.ts'

/** A table of MySQL or a collection of MongoDB. */
export interface TableRef {
  readonly protocol: 'mysql' | 'mongodb'
  readonly database: string
  readonly table: string
  /** Columns whose values are generated when a row is inserted. */
  readonly generated?: readonly string[]
}

/** The field that the server or the client generates. */
const MONGO_ID = '_id'
const NO_SUCH_TABLE = /\b(1146|1049)\b/
/** The length of a fingerprint: the last digits of a SHA-256 in hexadecimal. */
const FINGERPRINT_CHARACTERS = 20

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** MySQL returns values as text or numbers, regardless of the inserted type. */
const toSqlText = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Does not depend on the order of the fields. */
export const fingerprintEntry = (entry: Entry, { protocol, generated = [] }: TableRef): string => {
  const isSql = protocol === 'mysql'
  const ignored = isSql ? generated : [MONGO_ID, ...generated]
  const comparedFields = Object.entries(entry)
    .filter(([name]) => !ignored.includes(name))
    .map(([name, value]) => [name, isSql ? toSqlText(value) : value])
  return toFingerprint(JSON.stringify(Object.fromEntries(comparedFields), sortKeys)).slice(
    -FINGERPRINT_CHARACTERS,
  )
}

const selectRows = async (client: StoreClient, { database, table }: TableRef, limit: number) => {
  const statement = `SELECT * FROM \`${database}\`.\`${table}\` LIMIT ${limit}`
  return client.query({ sql: { statement, parameters: [] } }).catch((error) => {
    if (error instanceof CallFailure && error.kind === 'answer' && NO_SUCH_TABLE.test(error.message))
      return []
    throw error
  })
}

/** Resolves to the sorted fingerprints of at most `limit` entries; empty if the table does not exist. */
export const readEntries = async (
  client: StoreClient,
  ref: TableRef,
  limit: number,
): Promise<readonly string[]> => {
  const { protocol, database, table } = ref
  const found =
    protocol === 'mysql'
      ? await selectRows(client, ref, limit)
      : await client.query({ mongo: { find: table, $db: database, filter: {}, limit } })
  return (found as readonly Entry[]).map((entry) => fingerprintEntry(entry, ref)).sort()
}

/** The number of former entries that are missing. An entry that existed twice must exist twice. */
export const countMissing = (before: readonly string[], now: readonly string[]): number => {
  const remaining = new Map<string, number>()
  for (const entry of now) remaining.set(entry, (remaining.get(entry) ?? 0) + 1)
  return before.filter((entry) => {
    const count = remaining.get(entry) ?? 0
    remaining.set(entry, count - 1)
    return count <= 0
  }).length
}
