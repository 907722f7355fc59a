/** Writes to a store as the user of its clients, and checks as the administrator that the store has kept what was written. */
import { clientLoginOf, isMysql, queryStore } from '#exam/fault-parts'
import type { FaultContext } from '#spec'
import { CallFailure, type StoreClient } from '#world/twin/stores'

interface WriteProbe {
  write(client: StoreClient): Promise<unknown>
  /** Resolves with the entries that the store contains. */
  read(client: StoreClient): Promise<readonly unknown[]>
  remove(client: StoreClient): Promise<unknown>
}

const mysqlProbe = (database: string, name: string): WriteProbe => {
  const table = `${database}.${name}`
  const run = (client: StoreClient, statement: string) => client.query({ sql: { statement, parameters: [] } })
  return {
    async write(client) {
      await run(client, `CREATE TABLE ${table} (id INT PRIMARY KEY)`)
      await run(client, `INSERT INTO ${table} VALUES (1)`)
    },
    read: async (client) => (await run(client, `SELECT id FROM ${table}`)) as readonly unknown[],
    remove: (client) => run(client, `DROP TABLE IF EXISTS ${table}`),
  }
}

const mongoProbe = (database: string, name: string): WriteProbe => {
  const run = (client: StoreClient, command: Readonly<Record<string, unknown>>) =>
    client.query({ mongo: { ...command, $db: database } })
  return {
    write: (client) => run(client, { insert: name, documents: [{ _id: 1 }] }),
    read: async (client) => (await run(client, { find: name })) as readonly unknown[],
    remove: (client) => run(client, { drop: name }),
  }
}

let probes = 0

/** A new name for each probe: an earlier one may have been interrupted before it removed its table. */
const newName = (): string => {
  probes += 1
  return `tmp_${probes}`
}

const isRefused = (error: unknown): boolean => error instanceof CallFailure && error.kind === 'login'

/** Resolves with false if the store refuses the write or does not keep it. Rejects if the store cannot be reached. */
export const canWrite = async (context: FaultContext): Promise<boolean> => {
  const { user, password, database } = clientLoginOf(context)
  const isSql = isMysql(context)
  const { write, read, remove } = (isSql ? mysqlProbe : mongoProbe)(database, newName())
  const { service } = context.target
  const login = { user, password, ...(isSql ? { database } : {}) }
  try {
    await queryStore(context, service, { login, via: 'address' }, write)
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
  const entries = await queryStore(context, service, {}, async (client) => {
    const found = await read(client)
    await remove(client)
    return found
  })
  return entries.length === 1
}
