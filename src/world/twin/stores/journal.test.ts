/** Tests the append-only file of stores. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { processHost } from './process-host.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
  path = join(folder, 'deep', 'log')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('resolves an append once its entry is in the file, and keeps the order', async () => {
  const journal = await openJournal(processHost, path, (text) => text.length)
  await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(`${index}\n`)))
  expect(readFileSync(path, 'latin1')).toBe(Array.from({ length: 50 }, (_, index) => `${index}\n`).join(''))
  await journal.close()
})

test('includes pending appends in a rewrite and adds later ones after it', async () => {
  const journal = await openJournal(processHost, path, (text) => text.length)
  await journal.append('old\n')
  let state = 'old'
  const add = (text: string): Promise<void> => {
    state += text
    return journal.append(`${text}\n`)
  }
  const before = add('+a')
  const rewritten = journal.rewrite(() => [`=${state}`, '\n'])
  const between = add('+b')
  await Promise.all([before, rewritten, between])
  await add('+c')
  expect(readFileSync(path, 'latin1')).toBe('=old+a+b\n+c\n')
  expect(journal.size).toBe(readFileSync(path).length)
  await journal.close()
})

test('loses no entries when a rewrite fails', async () => {
  const journal = await openJournal(processHost, path, (text) => text.length)
  const dump = () => {
    throw new Error('no dump')
  }
  const results = await Promise.allSettled([
    journal.append('one\n'),
    journal.rewrite(dump),
    journal.append('two\n'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(readFileSync(path, 'latin1')).toBe('one\ntwo\n')
  await journal.close()
})

test('removes an incomplete last entry before it appends', async () => {
  rmSync(folder, { recursive: true })
  path = join(mkdtempSync(join(tmpdir(), 'journal-')), 'log')
  folder = join(path, '..')
  writeFileSync(path, 'whole\nhal')
  const journal = await openJournal(processHost, path, (text) => text.lastIndexOf('\n') + 1)
  await journal.append('next\n')
  await journal.close()
  expect(readFileSync(path, 'latin1')).toBe('whole\nnext\n')
})

test('rejects if the folder cannot be created', async () => {
  writeFileSync(join(folder, 'deep'), '')
  await expect(openJournal(processHost, path, () => 0)).rejects.toThrow('EEXIST')
})
