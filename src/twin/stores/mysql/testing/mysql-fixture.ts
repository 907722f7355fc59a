/** Servers and clients for the tests of MySQL, which end with the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, createConnection } from 'mysql2/promise'
import { onTestFinished } from 'vitest'
import type { ListeningServer, StoreClient, StoreServerOptions } from '../../../ports/index.ts'
import { createMysqlClient } from '../create-mysql-client.ts'
import { startMysqlServer } from '../start-mysql-server.ts'

/** The last first. A hook of this file would be one for the first tests alone: all that run together load it once. */
export const atEnd = (end: () => unknown): void =>
  onTestFinished(async () => {
    await end()
  })

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mysql-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const SHOP = {
  users: [{ name: 'shop', password: 'secret', databases: ['ts'] }],
  databases: ['ts'],
  environment: { MYSQL_LOG_FOLDER: '/nowhere' },
}

export const start = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
  const server = await startMysqlServer({
    port: 0,
    log: () => undefined,
    onCommand: () => undefined,
    ...SHOP,
    ...options,
  })
  atEnd(() => server.close())
  return server
}

/** The library that everybody uses. */
export const connectTo = async ({ port }: { port: number }, options = {}): Promise<Connection> => {
  const connection = await createConnection({
    host: '127.0.0.1',
    port,
    user: 'root',
    dateStrings: true,
    multipleStatements: true,
    ...options,
  })
  atEnd(() => connection.destroy())
  return connection
}

/** Ours. */
export const clientOf = ({ port }: { port: number }, options = {}): StoreClient => {
  const client = createMysqlClient({
    address: async () => ({ host: '127.0.0.1', port }),
    login: { user: 'shop', password: 'secret', database: 'ts' },
    ...options,
  })
  atEnd(() => client.close())
  return client
}

export const ask = (client: StoreClient, statement: string, ...parameters: unknown[]): Promise<unknown> =>
  client.query({ sql: { statement, parameters } })
