/** Servers and clients for the tests of MySQL, which end with the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterEach } from 'vitest'
import type { ListeningServer, StoreClient, StoreServerOptions } from '../../../ports/index.ts'
import { createMysqlClient } from '../create-mysql-client.ts'
import { startMysqlServer } from '../start-mysql-server.ts'

export const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mysql-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
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
  ends.push(() => server.close())
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
  ends.push(() => connection.destroy())
  return connection
}

/** Ours. */
export const clientOf = ({ port }: { port: number }, options = {}): StoreClient => {
  const client = createMysqlClient({
    address: async () => ({ host: '127.0.0.1', port }),
    login: { user: 'shop', password: 'secret', database: 'ts' },
    ...options,
  })
  ends.push(() => client.close())
  return client
}

export const ask = (client: StoreClient, statement: string, ...parameters: unknown[]): Promise<unknown> =>
  client.query({ sql: { statement, parameters } })
