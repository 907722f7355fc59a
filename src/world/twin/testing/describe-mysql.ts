/** The contract of MySQL servers and clients. */
import { describe, expect, it } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import type { WithStoreSubject } from './store-subject.ts'

const query = (client: StoreClient, statement: string, ...parameters: unknown[]): Promise<any> =>
  client.query({ sql: { statement, parameters } }, 3000)

const SHOP = { users: [{ name: 'shop', password: 'secret', databases: ['ts'] }], databases: ['ts'] }
const LOGIN = { user: 'shop', password: 'secret', database: 'ts' }
const ROOT = { users: [{ name: 'root', password: '' }], databases: ['ts'] }
const ROOT_LOGIN = { user: 'root', password: '', database: 'ts' }

const describeData = (withSubject: WithStoreSubject): void => {
  it('returns rows with the types of their columns', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer(SHOP)).port, { login: LOGIN })
      await query(
        client,
        'CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), price DOUBLE)',
      )
      const insert = 'INSERT INTO t (name, price) VALUES (?, ?)'
      expect(await query(client, insert, "it's é", 0.5)).toEqual({ affected: 1, lastId: 1 })
      expect(await query(client, insert, null, 3)).toEqual({ affected: 1, lastId: 2 })
      expect(await query(client, 'SELECT id, name, price FROM t ORDER BY id')).toEqual([
        { id: 1, name: "it's é", price: 0.5 },
        { id: 2, name: null, price: 3 },
      ])
      expect(await query(client, 'SELECT COUNT(*) AS n, MAX(name) AS m FROM t')).toEqual([
        { n: 2, m: "it's é" },
      ])
      expect(await query(client, 'UPDATE t SET price = 1; DELETE FROM t WHERE id = 2')).toEqual({
        affected: 1,
        lastId: 0,
      })
    }))

  it('reports errors of statements', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer(SHOP)).port, { login: LOGIN })
      await query(client, 'CREATE TABLE t (id INT PRIMARY KEY)')
      await query(client, 'INSERT INTO t VALUES (1)')
      const failures = [
        ['SELECT * FROM none', "ERROR 1146 (42S02): Table 'ts.none' doesn't exist", 'answer'],
        ['INSERT INTO t VALUES (1)', "ERROR 1062 (23000): Duplicate entry for key 'PRIMARY'", 'answer'],
        [
          'CREATE DATABASE x',
          "ERROR 1044 (42000): Access denied for user 'shop'@'%' to database 'x'",
          'login',
        ],
      ] as const
      for (const [statement, message, kind] of failures)
        await expect(query(client, statement)).rejects.toMatchObject({ kind, message })
    }))

  it('keeps its data in its folder', () =>
    withSubject(async ({ startServer, createClient, makeFolder }) => {
      const folder = makeFolder()
      const first = await startServer({ folder, ...SHOP })
      const writer = createClient(first.port, { login: LOGIN })
      await query(writer, 'CREATE TABLE t (a INT); INSERT INTO t VALUES (7)')
      await first.close()
      const reader = createClient((await startServer({ folder, ...SHOP })).port, { login: LOGIN })
      expect(await query(reader, 'SELECT a FROM t')).toEqual([{ a: 7 }])
    }))
}

const describeReplication = (withSubject: WithStoreSubject): void => {
  it('follows a leader, and is read-only meanwhile', () =>
    withSubject(async ({ startServer, createClient, host, sleep }) => {
      const leader = await startServer(ROOT)
      const follower = await startServer(ROOT)
      const onLeader = createClient(leader.port, { login: ROOT_LOGIN })
      const onFollower = createClient(follower.port, { login: ROOT_LOGIN })
      await query(onLeader, 'CREATE TABLE t (a INT); INSERT INTO t VALUES (1)')
      await query(
        onFollower,
        `CHANGE MASTER TO MASTER_HOST='${host}', MASTER_PORT=${leader.port}, MASTER_USER='qc_repl', ` +
          "MASTER_PASSWORD='Repl_123'; START SLAVE",
      )
      await sleep(300)
      await query(onLeader, 'INSERT INTO t VALUES (2)')
      await sleep(300)
      expect(await query(onFollower, 'SELECT a FROM t')).toEqual([{ a: 1 }, { a: 2 }])
      const [status] = await query(onFollower, 'SHOW SLAVE STATUS')
      expect(status).toMatchObject({ Slave_IO_Running: 'Yes', Last_IO_Error: '' })
      await expect(query(onFollower, 'DELETE FROM t')).rejects.toMatchObject({
        message: expect.stringContaining(
          'ERROR 1290 (HY000): The MySQL server is running with the --super-read-only',
        ),
      })
      await leader.close()
      await sleep(1500)
      expect((await query(onFollower, 'SHOW SLAVE STATUS'))[0]).toMatchObject({
        Slave_IO_Running: 'Connecting',
        Last_IO_Error: `connect ECONNREFUSED ${host}:${leader.port}`,
      })
    }))
}

const describeConnections = (withSubject: WithStoreSubject): void => {
  it('requires a login, and limits connections', () =>
    withSubject(async ({ startServer, createClient, clientHost }) => {
      const { port } = await startServer({ maxConnections: 1, ...SHOP })
      expect(await query(createClient(port, { login: LOGIN }), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      const failures = [
        [
          { ...LOGIN, password: 'x' },
          `ERROR 1045 (28000): Access denied for user 'shop'@'${clientHost}' (using password: YES)`,
        ],
        [
          { ...LOGIN, database: 'x' },
          "ERROR 1044 (42000): Access denied for user 'shop'@'%' to database 'x'",
        ],
      ] as const
      const other = await startServer(SHOP)
      for (const [login, message] of failures)
        await expect(query(createClient(other.port, { login }), 'SELECT 1')).rejects.toMatchObject({
          kind: 'login',
          message,
        })
      await expect(query(createClient(port, { login: LOGIN }), 'SELECT 1')).rejects.toMatchObject({
        kind: 'answer',
        message: 'ERROR 1040 (08004): Too many connections',
      })
    }))

  it('keeps calls waiting for a connection of the pool', () =>
    withSubject(async ({ startServer, createClient, sleep }) => {
      const { port } = await startServer(SHOP)
      const client = createClient(port, { login: LOGIN, poolSize: 1, poolWaitMs: 60 })
      const slow = query(client, 'SELECT SLEEP(0.3) AS s')
      await sleep(50)
      await expect(query(client, 'SELECT 1')).rejects.toMatchObject({
        kind: 'pool',
        message: 'no connection was free within 60 ms',
      })
      await expect(
        client.query({ sql: { statement: 'SELECT 1', parameters: [] } }, 20),
      ).rejects.toMatchObject({
        kind: 'timeout',
        message: 'no answer within 20 ms',
      })
      await slow
    }))

  it('reports a server that is lost or does not listen', () =>
    withSubject(async ({ startServer, createClient, host, sleep }) => {
      const server = await startServer(SHOP)
      const client = createClient(server.port, { login: LOGIN })
      const pending = expect(query(client, 'SELECT SLEEP(2)')).rejects.toMatchObject({
        kind: 'reset',
        message: 'Lost connection to MySQL server during query',
      })
      await sleep(50)
      await server.close()
      await pending
      await expect(query(client, 'SELECT 1')).rejects.toMatchObject({
        kind: 'refused',
        message: `connect ECONNREFUSED ${host}:${server.port}`,
      })
    }))
}

export const describeMysql = (name: string, withSubject: WithStoreSubject): void => {
  describe(name, () => {
    describeData(withSubject)
    describeReplication(withSubject)
    describeConnections(withSubject)
  })
}
