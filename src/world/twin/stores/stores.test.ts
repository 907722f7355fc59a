/** Tests the stores over sockets. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DEFAULT_STORE_OPTIONS,
  describeAmqp,
  describeMemcached,
  describeMongodb,
  describeMysql,
  describeRedis,
  type StoreProtocol,
  type WithStoreSubject,
} from '#world/twin/testing'
import { loadStoreClient, loadStoreServer } from './index.ts'

const HOST = '127.0.0.1'

const withSockets =
  (protocol: StoreProtocol): WithStoreSubject =>
  async (work) => {
    const cleanups: (() => unknown)[] = []
    const start = await loadStoreServer(protocol)
    const create = await loadStoreClient(protocol)
    try {
      await work({
        host: HOST,
        clientHost: 'localhost',
        startServer: async (options = {}) => {
          const server = await start({ ...DEFAULT_STORE_OPTIONS, ...options })
          cleanups.push(() => server.close(0))
          return server
        },
        createClient: (port, options) => {
          const client = create({ address: async () => ({ host: HOST, port }), ...options })
          cleanups.push(() => client.close())
          return client
        },
        makeFolder: () => {
          const folder = mkdtempSync(join(tmpdir(), 'store-'))
          cleanups.unshift(() => rmSync(folder, { recursive: true, force: true }))
          return folder
        },
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      })
    } finally {
      for (const close of cleanups.reverse()) await close()
    }
  }

describeAmqp('AMQP over sockets', withSockets('amqp'))
describeMemcached('memcached over sockets', withSockets('memcached'))
describeMongodb('MongoDB over sockets', withSockets('mongodb'))
describeMysql('MySQL over sockets', withSockets('mysql'))
describeRedis('Redis over sockets', withSockets('redis'))
