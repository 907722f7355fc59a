/** Tests replication between MySQL servers. */
import { expect, test } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import { connectTo, createClient, makeFolder, query, start } from './testing/mysql-fixture.ts'

const toFollowSql = (port: number): string =>
  `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${port}, MASTER_USER='qc_repl', ` +
  `MASTER_PASSWORD='Repl_123'; START SLAVE; SET GLOBAL read_only = 1`

const countRows = (client: StoreClient): Promise<unknown> =>
  query(client, 'SELECT COUNT(*) AS n FROM t').then(
    (rows) => (rows as { n: number }[])[0]!.n,
    (error: Error) => error.message,
  )

test('replicates to a read-only follower, which can take over', async () => {
  const leader = await start()
  const leaderClient = createClient(leader)
  await query(
    leaderClient,
    'CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, at DATETIME DEFAULT CURRENT_TIMESTAMP)',
  )
  await query(leaderClient, 'INSERT INTO t (id) VALUES (NULL), (NULL)')
  const folder = makeFolder()
  const follower = await start({ folder })
  const root = await connectTo(follower)
  await root.query(toFollowSql(leader.port))
  const followerClient = createClient(follower)
  await expect.poll(() => countRows(followerClient)).toBe(2)
  await query(leaderClient, 'INSERT INTO t (at) VALUES (NOW())')
  await (await connectTo(leader)).query(
    "CREATE USER 'late'@'%' IDENTIFIED BY 'x'; GRANT ALL ON ts.* TO 'late'@'%'",
  )
  await expect.poll(() => countRows(followerClient)).toBe(3)
  expect(await query(followerClient, 'SELECT * FROM t')).toEqual(await query(leaderClient, 'SELECT * FROM t'))
  const late = createClient(follower, { login: { user: 'late', password: 'x', database: 'ts' } })
  await expect.poll(() => countRows(late)).toBe(3)
  const readOnlyError = { message: expect.stringContaining('1290 (HY000)') }
  await expect(query(followerClient, 'DELETE FROM t')).rejects.toMatchObject(readOnlyError)
  await expect(root.query('DELETE FROM ts.t')).rejects.toMatchObject({ errno: 1290 })
  await leader.close()
  await root.query('STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0')
  await query(followerClient, 'INSERT INTO t (id) VALUES (NULL)')
  expect(await countRows(followerClient)).toBe(4)
  await follower.close()
  expect(await countRows(createClient(await start({ folder })))).toBe(4)
})

test('replaces the data of a diverged follower, which catches up after a disconnection', async () => {
  const leader = await start()
  const follower = await start()
  await query(createClient(leader), 'CREATE TABLE t (a INT)')
  await query(createClient(follower), 'CREATE TABLE own (a INT)')
  const root = await connectTo(follower, { database: 'ts' })
  await root.query(toFollowSql(leader.port))
  await expect.poll(() => countRows(createClient(follower))).toBe(0)
  await expect(root.query('SELECT * FROM own')).rejects.toMatchObject({ errno: 1146 })
  await root.query('STOP SLAVE')
  for (let value = 0; value < 5; value++) await query(createClient(leader), 'INSERT INTO t VALUES (?)', value)
  expect(await countRows(createClient(follower))).toBe(0)
  await root.query('START SLAVE')
  await expect.poll(() => countRows(createClient(follower))).toBe(5)
  const [status] = await root.query('SHOW SLAVE STATUS')
  expect(status).toMatchObject([{ Slave_IO_Running: 'Yes', Master_Port: leader.port, Last_IO_Error: '' }])
})

test('reports a rejected login in the status of the follower', async () => {
  const leader = await start()
  const root = await connectTo(await start())
  await root.query(toFollowSql(leader.port).replace('Repl_123', 'wrong'))
  const readStatus = async (): Promise<object> => ((await root.query('SHOW SLAVE STATUS'))[0] as object[])[0]!
  await expect.poll(readStatus).toMatchObject({
    Slave_IO_Running: 'Connecting',
    Last_IO_Error: expect.stringContaining("Access denied for user 'qc_repl'"),
  })
})
