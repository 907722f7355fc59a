/** Tests of records while they are made, and of what killed makers leave. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepRecord } from './keep-record.ts'
import { removeDeadDrafts } from './remove-dead-drafts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keep-record-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('has its own name only when it is whole', () => {
  const record = keepRecord(join(folder, 'a.jsonl'))
  record.options.sink!({ at: 0, type: 'solver-began' })
  expect(readdirSync(folder)).toEqual([`a.jsonl.${process.pid}.part`])
  record.finish()
  expect(readdirSync(folder)).toEqual(['a.jsonl'])
})

it('says why it could not get its name, and leaves nothing of it', () => {
  // As a disk does that fails when all was written.
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

it('leaves nothing of the dead, and all of the living', () => {
  const { pid } = spawnSync('true')
  const kept = ['a.jsonl', `b.jsonl.${process.pid}.part`, 'notes.part']
  for (const name of [...kept, `a.jsonl.${pid}.part`]) writeFileSync(join(folder, name), '')
  removeDeadDrafts(folder)
  expect(readdirSync(folder).sort()).toEqual(kept)
})
