/** Tests that a sample of a store shows which of its entries still exist. */
import { expect, it } from 'vitest'
import { fakeStoreContext, startStore } from '#exam/testing'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { readContent } from './store-content.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))

const countIn = (tables: object): number => Object.values(tables).flat().length

it('samples entries that the laboratory writes to Redis, because users change theirs', async () => {
  const store = await startStore('redis', {})
  const query = (...redis: string[]) => store.client.query({ redis })
  const { context } = fakeStoreContext(boutique, { service: 'redis-cart' }, store)
  await query('HSET', 'user', 'cart', 'a book')
  const { tables } = await readContent(context, 'redis-cart')
  expect(countIn(tables)).toBe(4)
  expect(Object.keys(tables)).not.toContain('user')
  await query('DEL', 'user')
  await query('HSET', 'another', 'cart', '')
  expect((await readContent(context, 'redis-cart', tables)).tables).toEqual(tables)
  const [first] = Object.keys(tables)
  await query('SET', first!, '')
  expect(countIn((await readContent(context, 'redis-cart', tables)).tables)).toBe(3)
  await query('FLUSHALL')
  expect((await readContent(context, 'redis-cart', tables)).tables).toEqual({})
})

it('samples collections of MongoDB', async () => {
  const store = await startStore('mongodb', {})
  const query = (mongo: object) => store.client.query({ mongo: { ...mongo, $db: 'user-db' } })
  await query({ insert: 'user', documents: [{ name: 'a' }, { name: 'b' }] })
  const { context } = fakeStoreContext(hotels, { service: 'mongodb-user' }, store)
  const { tables } = await readContent(context, 'mongodb-user')
  expect(Object.entries(tables).map(([name, entries]) => [name, entries.length])).toEqual([
    ['user-db.user', 2],
  ])
  await query({ update: 'user', updates: [{ q: { name: 'a' }, u: { $set: { name: '' } } }] })
  await query({ insert: 'user', documents: [{ name: 'c' }] })
  expect(countIn((await readContent(context, 'mongodb-user', tables)).tables)).toBe(1)
  await query({ dropDatabase: 1 })
  expect(countIn((await readContent(context, 'mongodb-user', tables)).tables)).toBe(0)
})

it('samples tables of MySQL', async () => {
  const store = await startStore('mysql', { databases: ['ts'] })
  const query = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
  await query('CREATE TABLE ts.orders (id INT PRIMARY KEY)')
  await query('INSERT INTO ts.orders VALUES (1), (2), (3)')
  const { context } = fakeStoreContext(tickets, { service: 'tsdb-mysql' }, store)
  const { tables } = await readContent(context, 'tsdb-mysql')
  expect(countIn(tables)).toBe(3)
  await query('DELETE FROM ts.orders WHERE id < 3')
  expect(countIn((await readContent(context, 'tsdb-mysql', tables)).tables)).toBe(1)
})
