/** Tests that records in files are judged again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exampleRecord } from '#lab/testing'
import type { SystemView, Verdict } from '#spec'
import { scoreFile } from './score-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'score-file-'))
  file = join(folder, 'a.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const EVENTS = exampleRecord()
const writeEvents = (events: readonly unknown[]): void =>
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))

const score = (judge: () => Verdict) =>
  scoreFile(file, { faults: new Map(), systemOf: async () => ({}) as SystemView, judge })

const verdict = EVENTS.flatMap((event) => (event.type === 'verdict-given' ? [event.verdict] : []))[0]!

it('compares the verdict with the recorded one, but not its wording', async () => {
  writeEvents(EVENTS)
  expect(await score(() => verdict)).toMatchObject({ kind: 'judged', score: { isSame: true } })
  expect(await score(() => ({ ...verdict, reason: 'other words' }))).toMatchObject({
    score: { isSame: true },
  })
  expect(await score(() => ({ ...verdict, outcome: 'unresolved' }))).toMatchObject({
    score: { isSame: false },
  })
})

it('reports a record without a verdict', async () => {
  writeEvents(EVENTS.slice(0, -1))
  expect(await score(() => verdict)).toEqual({ kind: 'unjudged' })
})

it('names the file that cannot be judged', async () => {
  writeEvents(EVENTS)
  const failToJudge = () => {
    throw new Error('the system has no service cart')
  }
  expect(await score(failToJudge)).toMatchObject({
    kind: 'bad',
    error: {
      code: 'bad-file',
      message: `${file} cannot be judged: the system has no service cart.`,
    },
  })
})

it('names the line that is not an event', async () => {
  writeEvents([null])
  const { error } = (await score(() => verdict)) as { error: Error }
  expect(error.message).toContain(`${file}, line 1: `)
})
