/** Tests of unfinished records, records of void attempts, and drafts of killed processes. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepRecord } from './keep-record.ts'
import { removeStaleDrafts } from './remove-stale-drafts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keep-record-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('gives a record its final name when it is complete', () => {
  const record = keepRecord(join(folder, 'a.jsonl'))
  record.sink({ at: 0, type: 'solver-started' })
  expect(readdirSync(folder)).toEqual([`a.jsonl.${process.pid}.part`])
  record.finish()
  expect(readdirSync(folder)).toEqual(['a.jsonl'])
})

it('reports why a record could not be renamed, and leaves no draft', () => {
  // Makes the rename fail after everything was written.
  mkdirSync(join(folder, 'a.jsonl'))
  const record = keepRecord(join(folder, 'a.jsonl'))
  expect(() => record.finish()).toThrow(
    expect.objectContaining({
      code: 'record-lost',
      blame: 'harness',
      message: expect.stringMatching(/a\.jsonl cannot be written: EISDIR/),
    }),
  )
  expect(readdirSync(folder)).toEqual(['a.jsonl'])
  expect(() => record.discard()).not.toThrow()
})

it('keeps the record of each void try under a separate name', () => {
  for (let count = 0; count < 2; count += 1) {
    const record = keepRecord(join(folder, 'a.jsonl'))
    record.sink({ at: 0, type: 'solver-started' })
    record.finishVoid()
    record.discard()
  }
  expect(readdirSync(folder).sort()).toEqual(['a.void-1.jsonl', 'a.void-2.jsonl'])
})

it('removes only the drafts of processes that have ended', () => {
  const { pid } = spawnSync('true')
  const kept = ['a.jsonl', `b.jsonl.${process.pid}.part`, 'notes.part']
  for (const name of [...kept, `a.jsonl.${pid}.part`]) writeFileSync(join(folder, name), '')
  removeStaleDrafts(folder)
  expect(readdirSync(folder).sort()).toEqual(kept)
})
