/** Shows that a disk is blamed for what it refused, and never for what a pod sent. */
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { isDiskAtFault } from './is-disk-at-fault.ts'

const ROOM = 2 ** 30

/** What SQLite itself says. */
const thrownBy = (act: (database: DatabaseSync) => void): unknown => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE logs (id INTEGER PRIMARY KEY, time REAL NOT NULL, text TEXT)')
  try {
    act(database)
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  return expect.unreachable('nothing was refused')
}

const insert = (database: DatabaseSync, ...values: unknown[]): void => {
  database.prepare('INSERT INTO logs (id, time, text) VALUES (?, ?, ?)').run(...(values as string[]))
}

const atBound = (): unknown =>
  thrownBy((database) => {
    database.exec('PRAGMA max_page_count = 4')
    insert(database, 1, 0, 'x'.repeat(100_000))
  })

it('blames the disk where it has no room', () => {
  expect(atBound()).toMatchObject({ errcode: 13 })
  expect(isDiskAtFault(atBound(), () => 4096)).toBe(true)
})

it('does not where the disk has room, and the file has none left under its bound', () => {
  expect(isDiskAtFault(atBound(), () => ROOM)).toBe(false)
})

it.each([
  ['a time that is none', [1, Number.NaN, '']],
  ['an id that is no number', ['one', 0, '']],
  ['what is no value at all', [1, 0, undefined]],
])('does not for %s', (_, values) => {
  const thrown = thrownBy((database) => insert(database, ...values))
  expect(isDiskAtFault(thrown, () => 0)).toBe(false)
})

it.each([
  ['a write that failed', 778],
  ['a damaged file', 11],
  ['a file that others keep', 5],
])('does for %s', (_, errcode) => {
  expect(isDiskAtFault(Object.assign(new Error('refused'), { errcode }), () => ROOM)).toBe(true)
})
