/** Tests a replicated MySQL cluster of xenon members. */
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer } from '#world/twin/ports'
import { loadStoreClient, loadStoreServer } from '#world/twin/stores'
import { requestLine } from './members.ts'
import { OwnMysql } from './own-mysql.ts'
import type { Member } from './pod-api.ts'
import { Xenon } from './xenon.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const LOGIN = { user: 'shop', password: 'secret', database: 'ts' }

const startMysql = async (): Promise<ListeningServer> => {
  const start = await loadStoreServer('mysql')
  const server = await start({
    port: 0,
    users: [{ name: LOGIN.user, password: LOGIN.password }],
    databases: ['ts'],
    environment: { MYSQL_LOG_FOLDER: '/nowhere', MYSQL_READ_ONLY: '1' },
    log: () => undefined,
    onCommand: () => undefined,
  })
  cleanups.push(() => server.close())
  return server
}

const findFreePort = async (): Promise<number> => {
  const { createServer } = await import('node:net')
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

interface Pod {
  readonly name: string
  readonly xenon: Xenon
  readonly port: number
  readonly mysql: ListeningServer
}

/** A fake of the Kubernetes API. */
const createFakeCluster = () => {
  const roles = new Map<string, string | undefined>()
  const pods = new Map<string, Pod>()
  const ports = new Map<string, { readonly xenon: number; readonly mysql: number }>()
  const api = {
    members: async () => [...pods.keys()].map((name) => ({ name, host: '127.0.0.1', role: roles.get(name) })),
    label: async (name: string, role: string) => {
      roles.set(name, role)
    },
  }
  const portsOf = ({ name }: Member) => ports.get(name)!
  const add = async (name: string): Promise<Pod> => {
    const mysql = await startMysql()
    const port = await findFreePort()
    const ownMysql = new OwnMysql(mysql.port, { user: 'qc_repl', password: 'Repl_123' })
    const xenon = new Xenon({ name, port, mysql: ownMysql, pods: api, portsOf, log: () => undefined })
    const pod = { name, xenon, port, mysql }
    pods.set(name, pod)
    ports.set(name, { xenon: port, mysql: mysql.port })
    await xenon.start()
    cleanups.push(() => xenon.close())
    return pod
  }
  const remove = async ({ name, xenon, mysql }: Pod): Promise<void> => {
    pods.delete(name)
    roles.delete(name)
    xenon.close()
    await mysql.close()
  }
  return { add, remove, roles: () => Object.fromEntries(roles) }
}

const query = async ({ mysql }: Pod, statement: string): Promise<unknown> => {
  const create = await loadStoreClient('mysql')
  const client = create({ address: async () => ({ host: '127.0.0.1', port: mysql.port }), login: LOGIN })
  try {
    return await client.query({ sql: { statement, parameters: [] } })
  } catch (error) {
    return (error as Error).message
  } finally {
    client.close()
  }
}

test('elects the first pod, replicates to later ones, and fails over without losing data', async () => {
  const cluster = createFakeCluster()
  const first = await cluster.add('db-0')
  expect(await requestLine('127.0.0.1', first.port, 'ping')).toBe('OK')
  await expect.poll(cluster.roles).toEqual({ 'db-0': 'leader' })
  await query(first, 'CREATE TABLE t (a INT)')
  const second = await cluster.add('db-1')
  const third = await cluster.add('db-2')
  await expect.poll(cluster.roles).toEqual({ 'db-0': 'leader', 'db-1': 'follower', 'db-2': 'follower' })
  expect(await query(first, 'INSERT INTO t VALUES (7)')).toMatchObject({ affected: 1 })
  for (const pod of [second, third])
    await expect.poll(() => query(pod, 'SELECT a FROM t')).toEqual([{ a: 7 }])
  expect(await query(second, 'INSERT INTO t VALUES (8)')).toContain('read-only')
  await cluster.remove(first)
  await expect.poll(cluster.roles).toEqual({ 'db-1': 'leader', 'db-2': 'follower' })
  expect(await query(second, 'INSERT INTO t VALUES (8)')).toMatchObject({ affected: 1 })
  await expect.poll(() => query(third, 'SELECT a FROM t')).toEqual([{ a: 7 }, { a: 8 }])
})

test('serialises queries to a MySQL server', async () => {
  const mysql = await startMysql()
  const ownMysql = new OwnMysql(mysql.port, { user: 'qc_repl', password: 'Repl_123' })
  cleanups.push(() => ownMysql.close())
  const results = [ownMysql.lead(), ownMysql.state(), ownMysql.resign(), ownMysql.state()]
  const [, leading, , resigned] = await Promise.all(results)
  expect([leading, resigned]).toMatchObject([{ readOnly: false }, { readOnly: true }])
})
