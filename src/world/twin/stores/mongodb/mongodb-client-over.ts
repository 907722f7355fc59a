/** The MongoDB client of a twin, over any kind of connection. */
import { CallFailure, type StoreClient, type StoreClientOptions } from '#world/twin/ports'
import { ConnectionPool } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'
import { type Document, RawValue } from './bson.ts'
import type { MongoConnection } from './mongo-connection.ts'

/** Converts ids to hexadecimal, dates to text and bytes to base64. */
const toPlain = (value: any): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof RawValue) return value.bytes.toString('base64')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value.toJSON === 'function') return value.toJSON()
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toPlain(item)]))
}

/** Fetches all batches of a cursor. */
const fetchAll = async (
  connection: MongoConnection,
  database: string,
  cursor: Document,
): Promise<unknown[]> => {
  const found: unknown[] = [...cursor.firstBatch]
  const collection = String(cursor.ns).slice(database.length + 1)
  let { id } = cursor
  while (id) {
    const reply = await connection.run(database, { getMore: BigInt(id), collection })
    found.push(...reply.cursor.nextBatch)
    id = reply.cursor.id
  }
  return found
}

const query = async (connection: MongoConnection, database: string, command: Document): Promise<unknown> => {
  const { ok, cursor, ...reply } = await connection.run(database, command)
  return toPlain(cursor ? await fetchAll(connection, database, cursor) : reply)
}

/** Commands use the login's database, or the one in their `$db`. */
export const createClientOver = (
  options: StoreClientOptions,
  { time }: Pick<StoreHost, 'time'>,
  open: () => Promise<MongoConnection>,
): StoreClient => {
  const pool = new ConnectionPool(options, time, open)
  return {
    query: ({ mongo }, timeoutMs) => {
      if (mongo === undefined)
        return Promise.reject(new CallFailure('answer', 'the MongoDB client supports only MongoDB commands'))
      const { $db: database = options.login?.database ?? 'test', ...command } = mongo
      return pool.use((connection) => query(connection, String(database), command), timeoutMs)
    },
    close: () => pool.close(),
  }
}
