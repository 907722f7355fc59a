/** Tests that a sample of a store shows which of its entries still exist. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fakeStoreContext, startStore } from '#exam/testing'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadMongoConnection } from '#world/twin/stores'
import { readContent } from './store-content.ts'

const { ObjectId } = await loadMongoConnection()

const boutique = createSystemView(await loadSystem('online-boutique'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))

const countIn = (tables: object): number => Object.values(tables).flat().length

const SESSIONS = Array.from({ length: 6 }, (_, index) => `0f8fad5b-d9cb-469f-a165-70867728950${index}`)

const startCarts = async (size = SESSIONS.length) => {
  const store = await startStore('redis', {})
  const query = (...redis: string[]) => store.client.query({ redis })
  for (const session of SESSIONS.slice(0, size))
    await query('HSET', session, 'cart', `{"user_id":"${session}","items":["a"]}`)
  const { context } = fakeStoreContext(boutique, { service: 'redis-cart' }, store)
  const { tables } = await readContent(context, 'redis-cart')
  const observe = async () => (await readContent(context, 'redis-cart', { known: tables })).tables
  const count = async () => (await readContent(context, 'redis-cart', { known: tables })).counts!.keys
  return { query, tables, observe, count }
}

/** The folders of the stores of the present test. */
const folders = new Set<string>()

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'store-content-'))
  folders.add(folder)
  onTestFinished(() => {
    folders.delete(folder)
    rmSync(folder, { recursive: true })
  })
  return folder
}

it('samples the keys of users in Redis, whose content may change', async () => {
  const { query, tables, observe } = await startCarts()
  expect([...tables.keys!].sort()).toEqual(SESSIONS.map((session) => `${session} -`))
  await query('HSET', SESSIONS[0]!, 'cart', '')
  expect(await observe()).toEqual(tables)
  await query('DEL', SESSIONS[0]!)
  expect(await observe()).toEqual({
    ...tables,
    keys: tables.keys!.filter((key) => key !== `${SESSIONS[0]} -`),
  })
  await query('FLUSHALL')
  expect(countIn(await observe())).toBe(0)
})

it('adds entries to Redis that are made like those of users', async () => {
  const { query, tables, observe } = await startCarts()
  const added = tables.added!.map((entry) => entry.split(' ')[0]!)
  expect(added).toHaveLength(4)
  for (const key of added) {
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await query('TYPE', key)).toBe('hash')
    expect(await query('HGET', key, 'cart')).toBe(`{"user_id":"${key}","items":["a"]}`)
  }
  await query('HSET', added[0]!, 'cart', '{}')
  const [changed, ...others] = (await observe()).added!
  expect(others).toEqual(tables.added!.slice(1))
  expect(changed!.split(' ')[0]).toBe(added[0])
  expect(changed).not.toBe(tables.added![0])
  for (const key of (await query('KEYS', '*')) as string[])
    if ((await query('TYPE', key)) === 'hash') await query('DEL', key)
  expect(countIn(await observe())).toBe(0)
})

it('adds decimal keys to Redis if those of users are decimal, with the digits that these have at each position', async () => {
  const store = await startStore('redis', {})
  const query = (...redis: string[]) => store.client.query({ redis })
  for (let user = 0; user < 20; user += 1)
    await query('ZADD', `17950947${72130 + 617 * user}0${user % 6}1:followers`, '1', 'a')
  const { context } = fakeStoreContext(boutique, { service: 'redis-cart' }, store)
  const { tables } = await readContent(context, 'redis-cart')
  expect(tables.added).toHaveLength(4)
  for (const entry of tables.added!) expect(entry).toMatch(/^17950947[78]\d{4}0[0-5]1:followers sha256:/)
  expect(tables.keys).not.toContain(`${tables.added![0]!.split(' ')[0]} -`)
})

it('adds several entries like one if users have stored only one', async () => {
  const { tables, observe, query } = await startCarts(1)
  expect([tables.keys, tables.added].map((entries) => entries?.length)).toEqual([1, 4])
  await query('FLUSHALL')
  expect(countIn(await observe())).toBe(0)
})

it('copies entries of every type in Redis, but adds none whose key could be that of a user', async () => {
  const store = await startStore('redis', {})
  const query = (...redis: string[]) => store.client.query({ redis })
  const keyOf = (type: string) => `${type}-0f8fad5bd9cb469fa16570867728950e`
  await query('SET', keyOf('string'), 'a')
  await query('RPUSH', keyOf('list'), 'a', 'b')
  await query('ZADD', keyOf('zset'), '1', 'a', '2', 'b')
  await query('ZADD', '12:followers', '1', 'a')
  const { context } = fakeStoreContext(boutique, { service: 'redis-cart' }, store)
  const { tables } = await readContent(context, 'redis-cart')
  expect(tables.keys).toHaveLength(4)
  const added = tables.added!.map((entry) => entry.split(' ')[0]!)
  expect(new Set(added.map((key) => key.split('-')[0]))).toEqual(new Set(['list', 'string', 'zset']))
  const zset = added.find((key) => key.startsWith('zset'))!
  expect(await query('ZRANGE', zset, '0', '-1', 'WITHSCORES')).toEqual(['a', '1', 'b', '2'])
})

it('looks sampled documents of MongoDB up by their ids', async () => {
  const store = await startStore('mongodb', {})
  const query = (mongo: object) => store.client.query({ mongo: { ...mongo, $db: 'user-db' } })
  const documents = [
    { name: 'a' },
    { _id: 'own', name: 'b' },
    { _id: new ObjectId('a'.repeat(24)), name: 'c' },
  ]
  await query({ insert: 'user', documents })
  const { context } = fakeStoreContext(hotels, { service: 'mongodb-user' }, store)
  const { tables } = await readContent(context, 'mongodb-user')
  expect(Object.entries(tables).map(([name, entries]) => [name, entries.length])).toEqual([
    ['user-db.user', 3],
  ])
  const observe = async () =>
    (await readContent(context, 'mongodb-user', { known: tables })).tables['user-db.user']!
  expect(await observe()).toEqual(tables['user-db.user'])
  await query({ update: 'user', updates: [{ q: { name: 'a' }, u: { $set: { name: '' } } }] })
  expect(await observe()).toHaveLength(3)
  expect((await observe()).filter((entry) => tables['user-db.user']!.includes(entry))).toHaveLength(2)
  await query({ delete: 'user', deletes: [{ q: {}, limit: 0 }] })
  await query({
    insert: 'user',
    documents: Array.from({ length: 1200 }, (_, index) => ({ name: `x${index}` })),
  })
  expect(await observe()).toEqual([])
  await query({ dropDatabase: 1 })
  expect(await observe()).toEqual([])
})

it('looks sampled rows of MySQL up by their keys, also those of several columns', async () => {
  const store = await startStore('mysql', { databases: ['ts'] })
  const query = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
  await query('CREATE TABLE ts.orders (id INT PRIMARY KEY, price DOUBLE)')
  await query('CREATE TABLE ts.seats (train VARCHAR(9), seat INT, PRIMARY KEY (train, seat))')
  await query('INSERT INTO ts.orders VALUES (1, 1), (2, 2), (3, 3)')
  await query("INSERT INTO ts.seats VALUES ('a', 1), ('a', 2), ('b', 1)")
  const { context } = fakeStoreContext(tickets, { service: 'tsdb-mysql' }, store)
  const { tables } = await readContent(context, 'tsdb-mysql')
  const observe = async () => (await readContent(context, 'tsdb-mysql', { known: tables })).tables
  expect(countIn(tables)).toBe(6)
  expect(await observe()).toEqual(tables)
  await query('UPDATE ts.orders SET price = 9 WHERE id = 1')
  await query("DELETE FROM ts.seats WHERE train = 'a'")
  const changed = await observe()
  expect(changed['ts.orders']!.filter((entry) => tables['ts.orders']!.includes(entry))).toHaveLength(2)
  expect(changed['ts.orders']).toHaveLength(3)
  expect(changed['ts.seats']).toEqual([expect.stringContaining('"b"')])
  await query('DELETE FROM ts.orders')
  const garbage = Array.from({ length: 1200 }, (_, index) => `(${index + 10}, 0)`).join(', ')
  await query(`INSERT INTO ts.orders VALUES ${garbage}`)
  expect((await observe())['ts.orders']).toEqual([])
  await query('DROP DATABASE ts')
  expect(countIn(await observe())).toBe(0)
})

it('compares rows of a table without a key by content', async () => {
  const store = await startStore('mysql', { databases: ['ts'] })
  const query = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
  await query('CREATE TABLE ts.notes (text VARCHAR(9))')
  await query("INSERT INTO ts.notes VALUES ('a'), ('b')")
  const { context } = fakeStoreContext(tickets, { service: 'tsdb-mysql' }, store)
  const { tables } = await readContent(context, 'tsdb-mysql')
  await query("DELETE FROM ts.notes WHERE text = 'a'")
  expect(countIn((await readContent(context, 'tsdb-mysql', { known: tables })).tables)).toBe(1)
})

it('counts an entry of Redis that expires as lost, and all that do not expire', async () => {
  const { query, tables, observe, count } = await startCarts()
  expect(await count()).toBe(SESSIONS.length + 4)
  await query('EXPIRE', SESSIONS[0]!, '180')
  expect((await observe()).keys).toEqual(tables.keys!.filter((key) => key !== `${SESSIONS[0]} -`))
  await query('EXPIRE', tables.added![0]!.split(' ')[0]!, '180')
  expect((await observe()).added).toEqual(tables.added!.slice(1))
  expect(await count()).toBe(SESSIONS.length + 2)
})

/** Observes a MongoDB store twice, and returns the observation after the change. */
const observeUsers = async (
  size: number,
  change: (query: (mongo: object) => Promise<unknown>) => unknown,
) => {
  const store = await startStore('mongodb', { folder: makeFolder() })
  const query = (mongo: object) => store.client.query({ mongo: { $db: 'user-db', ...mongo } })
  const documents = Array.from({ length: size }, (_, index) => ({ name: `user ${index}` }))
  await query({ insert: 'user', documents })
  const { context } = fakeStoreContext(hotels, { service: 'mongodb-user' }, store)
  const before = await readContent(context, 'mongodb-user')
  await change(query)
  const now = await readContent(context, 'mongodb-user', { known: before.tables, checksFiles: true })
  return { before, now }
}

it.each([501, 1200])('counts the entries of a table with %i entries', async (size) => {
  const { before, now } = await observeUsers(size, (query) =>
    query({ delete: 'user', deletes: [3, 7, 9, 11].map((id) => ({ q: { name: `user ${id}` }, limit: 1 })) }),
  )
  expect([before.counts, now.counts]).toEqual([{ 'user-db.user': size }, { 'user-db.user': size - 4 }])
})

it('notices other entries in a table of the same size, unless it is too large to be read', async () => {
  const replace = (query: (mongo: object) => Promise<unknown>) =>
    query({ update: 'user', updates: [{ q: { name: 'user 3' }, u: { $set: { name: 'x' } } }] })
  const { before, now } = await observeUsers(501, replace)
  expect(now.counts).toEqual(before.counts)
  expect(now.digests).not.toEqual(before.digests)
  expect((await observeUsers(501, () => {})).now.digests).toEqual(before.digests)
  expect((await observeUsers(1200, replace)).now.digests).toEqual({})
})

const toChanged = ({ before, now }: Awaited<ReturnType<typeof observeUsers>>): string[] =>
  [...new Set([...Object.keys(before.settings!), ...Object.keys(now.settings!)])].filter(
    (name) => before.settings![name] !== now.settings![name],
  )

it('reads the users and indexes of MongoDB', async () => {
  const backdoor = { createUser: 'backdoor', pwd: 'x', roles: [{ role: 'root', db: 'admin' }], $db: 'admin' }
  expect(toChanged(await observeUsers(3, (query) => query(backdoor)))).toEqual([
    'user admin.backdoor',
    'password of admin.backdoor',
  ])
  const index = { createIndexes: 'user', indexes: [{ key: { name: 1 }, name: 'u', unique: true }] }
  expect(toChanged(await observeUsers(3, (query) => query(index)))).toEqual(['definition of user-db.user'])
  const other = { createIndexes: 'other', indexes: [{ key: { a: 1 }, name: 'a' }] }
  expect(toChanged(await observeUsers(3, (query) => query(other)))).toEqual([])
})

it('asks a store whether its files contain what it has written', async () => {
  const { before, now } = await observeUsers(3, () => {})
  expect([before.isPersisted, now.isPersisted]).toEqual([undefined, true])
  const { now: changed } = await observeUsers(3, () => {
    for (const folder of folders) appendFileSync(join(folder, 'journal.wt'), 'garbage')
  })
  expect(changed.isPersisted).toBe(false)
})

const changesOfMysql = async (statement: string): Promise<string[]> => {
  const store = await startStore('mysql', { databases: ['ts'] })
  const query = (text: string) => store.client.query({ sql: { statement: text, parameters: [] } })
  await query('CREATE TABLE ts.orders (id INT PRIMARY KEY, price DOUBLE)')
  await query("CREATE USER 'shop'@'%' IDENTIFIED BY 'a'")
  await query("GRANT SELECT, INSERT ON ts.* TO 'shop'@'%'")
  const { context } = fakeStoreContext(tickets, { service: 'tsdb-mysql' }, store)
  const before = await readContent(context, 'tsdb-mysql')
  await query(statement)
  return toChanged({ before, now: await readContent(context, 'tsdb-mysql', { known: before.tables }) })
}

it.each([
  ['SET GLOBAL max_connections = 9', ['setting max_connections']],
  ['SET GLOBAL read_only = 1', ['setting read_only']],
  ["CHANGE MASTER TO MASTER_HOST = '10.0.0.9'", ['setting leader']],
  ["CREATE USER 'b'@'%' IDENTIFIED BY 'x'", ['user b@%', 'password of b@%']],
  ["GRANT DELETE ON ts.* TO 'shop'@'%'", ['user shop@%']],
  ["GRANT INSERT ON ts.* TO 'shop'@'%'", []],
  ["ALTER USER 'shop'@'%' IDENTIFIED BY 'b'", ['password of shop@%']],
  ['CREATE UNIQUE INDEX u ON ts.orders (price)', ['definition of ts.orders']],
  ['ALTER TABLE ts.orders ADD COLUMN note TEXT', ['definition of ts.orders']],
  ['CREATE TABLE ts.others (id INT PRIMARY KEY)', []],
] as const)('reads the settings of MySQL, which change by %s', async (statement, changed) => {
  expect(await changesOfMysql(statement)).toEqual(changed)
})

it('reads the settings of Redis', async () => {
  const store = await startStore('redis', {})
  const { context } = fakeStoreContext(boutique, { service: 'redis-cart' }, store)
  const before = await readContent(context, 'redis-cart')
  await store.client.query({ redis: ['CONFIG', 'SET', 'maxmemory', '7000'] })
  await store.client.query({ redis: ['CONFIG', 'SET', 'maxclients', '40'] })
  const now = await readContent(context, 'redis-cart', { known: before.tables })
  expect(toChanged({ before, now })).toEqual(['setting maxclients', 'setting maxmemory'])
})
