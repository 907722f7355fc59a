/** Records in files: written as they come, and read with suspicion. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EpisodeEvent } from '../spec/index.ts'
import { parseRecord } from './parse-record.ts'
import { createRecordFile, readRecord } from './record-file.ts'
import { toPlanned, toProblem } from './testing/fake-lab.ts'

const BEGAN: EpisodeEvent = {
  at: 0,
  type: 'episode-began',
  schema: 1,
  time: 1,
  problem: toProblem([toPlanned()]),
  solver: 'do-nothing',
  engine: 'fake',
  load: { loop: 'open', arrivals: { kind: 'poisson', rate: 1 } },
}
const WALKS: EpisodeEvent = {
  at: 1,
  type: 'walks',
  walks: [
    ['greet', 1, 2],
    ['greet', 2, 3, 'hello'],
  ],
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a record in a file', () => {
  it('is read as it was written', () => {
    const path = join(folder, 'one.jsonl')
    const { sink, close } = createRecordFile(path)
    sink(BEGAN)
    sink(WALKS)
    close()
    expect(readRecord(path)).toEqual([BEGAN, WALKS])
  })

  it('may grow while it is read, and lines may be longer than what is read at once', () => {
    const path = join(folder, 'grows.jsonl')
    const long: EpisodeEvent = { at: 2, type: 'report-given', kind: 'label', text: 'ä'.repeat(1_500_000) }
    writeFileSync(path, `${lines(BEGAN, long, WALKS)}\n{"at":3`)
    expect(readRecord(path, { isGrowing: true })).toEqual([BEGAN, long, WALKS])
    expect(() => readRecord(path)).toThrow('grows.jsonl, line 4: is not JSON')
  })

  it('that was made without bounds is read with them', () => {
    const path = join(folder, 'huge.jsonl')
    const thought = { at: 1, type: 'thought-noted', thought: 't'.repeat(3_900_000) }
    writeFileSync(path, lines(BEGAN, thought))
    expect(readRecord(path)[1]).toMatchObject({ thought: expect.stringMatching(/^t{65536}\n\(3834464 /) })
  })

  it('that cannot be written is told as lost', () => {
    const path = join(folder, 'two.jsonl')
    const { sink, close } = createRecordFile(path)
    close()
    expect(() => sink(BEGAN)).toThrow(expect.objectContaining({ code: 'record-lost', blame: 'harness' }))
    expect(() => createRecordFile(path)).toThrow(expect.objectContaining({ code: 'record-lost' }))
  })
})

const lines = (...events: unknown[]): string => events.map((event) => JSON.stringify(event)).join('\n')

describe('what is no record', () => {
  it.each([
    ['', 'line 1: a record begins with the event episode-began'],
    ['nonsense', 'line 1: is not JSON'],
    [lines(WALKS), 'line 1: a record begins with'],
    [lines({ ...BEGAN, schema: 99 }), 'line 1: has the schema 99'],
    [lines(BEGAN, { at: 1, type: 'walks', walks: [['greet', 'soon', 2]] }), 'line 2: walks.0.1'],
    [lines(BEGAN, { at: 1, type: 'calls-observed', edges: [null] }), 'line 2: edges.0'],
    [
      lines({ ...BEGAN, problem: toProblem([toPlanned({ shape: { kind: 'transient' } as never })]) }),
      'line 1: problem.faults.0.shape.forMs',
    ],
    [lines(BEGAN, { at: 1, type: 'sneezed' }), 'line 2: type'],
    [lines(BEGAN, { type: 'solver-began' }), 'line 2: at'],
    [lines(BEGAN, BEGAN), 'line 2: an episode begins a second time'],
  ])('is refused with its place: %s', (text, message) => {
    expect(() => parseRecord(text, 'it.jsonl')).toThrow(`it.jsonl, ${message}`)
  })
})
