/** Tests that disk failures are distinguished from invalid or oversized signals. */
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { isDiskFailure } from './is-disk-failure.ts'

const FREE_BYTES = 2 ** 30

/** Returns the error that `action` throws. */
const thrownBy = (action: (database: DatabaseSync) => void): unknown => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE logs (id INTEGER PRIMARY KEY, time REAL NOT NULL, text TEXT)')
  try {
    action(database)
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  return expect.unreachable('no error was thrown')
}

const insert = (database: DatabaseSync, ...values: unknown[]): void => {
  database.prepare('INSERT INTO logs (id, time, text) VALUES (?, ?, ?)').run(...(values as string[]))
}

const fullFileError = (): unknown =>
  thrownBy((database) => {
    database.exec('PRAGMA max_page_count = 4')
    insert(database, 1, 0, 'x'.repeat(100_000))
  })

it('recognises a full disk', () => {
  expect(fullFileError()).toMatchObject({ errcode: 13 })
  expect(isDiskFailure(fullFileError(), () => 4096)).toBe(true)
})

it('does not blame the disk if the file has reached its maximum size', () => {
  expect(isDiskFailure(fullFileError(), () => FREE_BYTES)).toBe(false)
})

it.each([
  ['an invalid time', [1, Number.NaN, '']],
  ['an invalid id', ['one', 0, '']],
  ['an unsupported value', [1, 0, undefined]],
])('does not blame the disk for %s', (_, values) => {
  const thrown = thrownBy((database) => insert(database, ...values))
  expect(isDiskFailure(thrown, () => 0)).toBe(false)
})

it.each([
  ['a write that failed', 778],
  ['a damaged file', 11],
  ['a locked file', 5],
])('blames the disk for %s', (_, errcode) => {
  expect(isDiskFailure(Object.assign(new Error('refused'), { errcode }), () => FREE_BYTES)).toBe(true)
})
