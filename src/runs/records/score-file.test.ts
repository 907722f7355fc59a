/** Tests of records that are judged again out of files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SystemView, Verdict } from '../../spec/index.ts'
import { madeRecord } from '../testing/made-record.ts'
import { scoreFile } from './score-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'score-file-'))
  file = join(folder, 'a.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const EVENTS = madeRecord()
const write = (events: readonly unknown[]): void =>
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))

const score = (judge: () => Verdict) =>
  scoreFile(file, { faults: new Map(), systemOf: async () => ({}) as SystemView, judge })

const verdict = EVENTS.flatMap((event) => (event.type === 'verdict-given' ? [event.verdict] : []))[0]!

it('compares with the verdict that the record holds', async () => {
  write(EVENTS)
  expect(await score(() => verdict)).toMatchObject({ kind: 'judged', score: { same: true } })
  expect(await score(() => ({ ...verdict, reason: 'other' }))).toMatchObject({ score: { same: false } })
})

it('knows one that was never judged', async () => {
  write(EVENTS.slice(0, -1))
  expect(await score(() => verdict)).toEqual({ kind: 'unjudged' })
})

it('says of which file nobody can judge what it names', async () => {
  write(EVENTS)
  const unknown = () => {
    throw new Error('the system has no service nobody')
  }
  expect(await score(unknown)).toMatchObject({
    kind: 'bad',
    error: {
      code: 'bad-file',
      message: `${file} cannot be judged: the system has no service nobody.`,
    },
  })
})

it('says where a file is no record', async () => {
  write([null])
  const { error } = (await score(() => verdict)) as { error: Error }
  expect(error.message).toContain(`${file}, line 1: `)
})
