/** Tests the storage of the MySQL server and its log. */
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as sqlite from 'node:sqlite'
import { expect, test } from 'vitest'
import { processHost } from '../../process-host.ts'
import { makeFolder, onTestEnd } from '../testing/mysql-fixture.ts'
import { Storage } from './storage.ts'

const open = async (folder: string, rewriteBytes?: number): Promise<Storage> => {
  const storage = new Storage(sqlite, processHost, rewriteBytes)
  await storage.open(folder, [{ time: 1, createDatabase: 'ts' }])
  onTestEnd(() => storage.close())
  return storage
}

const readRows = (storage: Storage, sql: string) => storage.databases.read('ts', sql).rows

test('rewrites a log that has grown, and keeps its data', async () => {
  const folder = makeFolder()
  const storage = await open(folder, 4_000)
  await storage.write('ts', [
    'CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, size REAL)',
    'CREATE INDEX t__text ON t (text)',
  ])
  await storage.change({ time: 1, accounts: [{ create: { user: 'shop', host: '%' }, password: 'x' }] })
  await storage.write('ts', ["INSERT INTO t VALUES (1, 'it''s ü', 9e999), (2, NULL, -0.5)"])
  for (let update = 0; update < 200; update++)
    await storage.write('ts', [`UPDATE t SET text = 'number ${update}' WHERE id = 2`])
  const { position } = storage
  await storage.close()
  const file = join(folder, 'mysql-bin.000001')
  expect(statSync(file).size).toBeLessThan(10_000)
  expect(readFileSync(file, 'utf8').startsWith('{"beginning"')).toBe(true)
  const reopened = await open(folder, 4_000)
  expect(reopened.position).toEqual(position)
  expect(readRows(reopened, 'SELECT * FROM t ORDER BY id')).toEqual([
    [1n, "it's ü", Number.POSITIVE_INFINITY],
    [2n, 'number 199', -0.5],
  ])
  expect(readRows(reopened, "SELECT name FROM sqlite_master WHERE type = 'index'")).toEqual([['t__text']])
  expect(reopened.accounts.findExact('shop', '%')).toBeDefined()
})

test('logs a transaction as one entry, and drops a truncated entry', async () => {
  const folder = makeFolder()
  const storage = await open(folder)
  await storage.write('ts', ['CREATE TABLE t (id INTEGER PRIMARY KEY)'])
  const transaction = await storage.begin()
  for (const id of [1, 2, 3]) transaction.write('ts', [`INSERT INTO t VALUES (${id})`])
  await transaction.commit()
  await storage.close()
  const file = join(folder, 'mysql-bin.000001')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  // Simulates a kill during a write.
  appendFileSync(file, lines[2]!.slice(0, 40))
  const reopened = await open(folder)
  expect(readRows(reopened, 'SELECT count(*) FROM t')).toEqual([[3n]])
  await reopened.write('ts', ['INSERT INTO t VALUES (4)'])
  await reopened.close()
  expect(readRows(await open(folder), 'SELECT count(*) FROM t')).toEqual([[4n]])
})
