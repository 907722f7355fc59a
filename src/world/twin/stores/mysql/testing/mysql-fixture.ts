/** Servers and clients for the MySQL tests. They are closed at the end of each test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, createConnection } from 'mysql2/promise'
import { onTestFinished } from 'vitest'
import type { ListeningServer, StoreClient, StoreServerOptions } from '#world/twin/ports'
import { createMysqlClient } from '../create-mysql-client.ts'
import { startMysqlServer } from '../start-mysql-server.ts'

/**
 * Runs cleanups in reverse order. A hook of this module would apply to the first test file only, because the
 * files share the module.
 */
export const onTestEnd = (cleanup: () => unknown): void =>
  onTestFinished(async () => {
    await cleanup()
  })

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mysql-'))
  onTestEnd(() => rmSync(folder, { recursive: true, force: true }))
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
  onTestEnd(() => server.close())
  return server
}

/** Connects with the mysql2 library. */
export const connectTo = async ({ port }: { port: number }, options = {}): Promise<Connection> => {
  const connection = await createConnection({
    host: '127.0.0.1',
    port,
    user: 'root',
    dateStrings: true,
    multipleStatements: true,
    ...options,
  })
  onTestEnd(() => connection.destroy())
  return connection
}

/** Creates the client of the twin. */
export const createClient = ({ port }: { port: number }, options = {}): StoreClient => {
  const client = createMysqlClient({
    address: async () => ({ host: '127.0.0.1', port }),
    login: { user: 'shop', password: 'secret', database: 'ts' },
    ...options,
  })
  onTestEnd(() => client.close())
  return client
}

export const query = (client: StoreClient, statement: string, ...parameters: unknown[]): Promise<unknown> =>
  client.query({ sql: { statement, parameters } })
