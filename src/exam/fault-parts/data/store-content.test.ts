/** Tests samples of the entries of stores. */
import { expect, it } from 'vitest'
import { startStore, storeContext } from '#exam/testing'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { readContent } from './store-content.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))

const countIn = (tables: object): number => Object.values(tables).flat().length

it('samples entries of its own in Redis, because users change theirs', async () => {
  const store = await startStore('redis', {})
  const run = (...redis: string[]) => store.client.query({ redis })
  const { context } = storeContext(boutique, { service: 'redis-cart' }, store)
  await run('HSET', 'user', 'cart', 'a book')
  const { tables } = await readContent(context, 'redis-cart')
  expect(countIn(tables)).toBe(4)
  expect(Object.keys(tables)).not.toContain('user')
  await run('DEL', 'user')
  await run('HSET', 'another', 'cart', '')
  expect((await readContent(context, 'redis-cart', tables)).tables).toEqual(tables)
  const [first] = Object.keys(tables)
  await run('SET', first!, '')
  expect(countIn((await readContent(context, 'redis-cart', tables)).tables)).toBe(3)
  await run('FLUSHALL')
  expect((await readContent(context, 'redis-cart', tables)).tables).toEqual({})
})

it('samples collections of MongoDB', async () => {
  const store = await startStore('mongodb', {})
  const run = (mongo: object) => store.client.query({ mongo: { ...mongo, $db: 'user-db' } })
  await run({ insert: 'user', documents: [{ name: 'a' }, { name: 'b' }] })
  const { context } = storeContext(hotels, { service: 'mongodb-user' }, store)
  const { tables } = await readContent(context, 'mongodb-user')
  expect(Object.entries(tables).map(([name, entries]) => [name, entries.length])).toEqual([
    ['user-db.user', 2],
  ])
  await run({ update: 'user', updates: [{ q: { name: 'a' }, u: { $set: { name: '' } } }] })
  await run({ insert: 'user', documents: [{ name: 'c' }] })
  expect(countIn((await readContent(context, 'mongodb-user', tables)).tables)).toBe(1)
  await run({ dropDatabase: 1 })
  expect(countIn((await readContent(context, 'mongodb-user', tables)).tables)).toBe(0)
})

it('samples tables of MySQL', async () => {
  const store = await startStore('mysql', { databases: ['ts'] })
  const run = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
  await run('CREATE TABLE ts.orders (id INT PRIMARY KEY)')
  await run('INSERT INTO ts.orders VALUES (1), (2), (3)')
  const { context } = storeContext(tickets, { service: 'tsdb-mysql' }, store)
  const { tables } = await readContent(context, 'tsdb-mysql')
  expect(countIn(tables)).toBe(3)
  await run('DELETE FROM ts.orders WHERE id < 3')
  expect(countIn((await readContent(context, 'tsdb-mysql', tables)).tables)).toBe(1)
})
