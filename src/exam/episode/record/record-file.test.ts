/** Tests records in files: they are written event by event, and checked when they are read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EpisodeEvent } from '#spec'
import { toPlanned, toProblem } from '../testing/fake-lab.ts'
import { parseRecord } from './parse-record.ts'
import { createRecordFile, readRecord } from './record-file.ts'

const STARTED: EpisodeEvent = {
  at: 0,
  type: 'episode-started',
  schema: 2,
  time: 1,
  problem: toProblem([toPlanned()]),
  solver: 'do-nothing',
  engine: 'fake',
  load: { loop: 'open', arrivals: { kind: 'poisson', rate: 1 } },
}
const RUNS: EpisodeEvent = {
  at: 1,
  type: 'journeys-run',
  runs: [
    ['greet', 1, 2],
    ['greet', 2, 3, 'hello'],
  ],
}

const callOf = (reasoning: string): Extract<EpisodeEvent, { type: 'model-called' }> => ({
  at: 1,
  type: 'model-called',
  role: 'solver',
  model: 'fake:one',
  messages: [{ role: 'user', content: 'Well?' }],
  tools: ['look'],
  toolDefinitions: [{ name: 'look', about: 'looks', input: { type: 'object' } }],
  sampling: { temperature: 0.5 },
  answer: {
    text: 'So.',
    reasoning,
    toolCalls: [],
    usage: { input: 1, output: 1 },
    finish: 'stop',
    tries: 1,
    milliseconds: 1,
  },
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a record in a file', () => {
  it('can be read back unchanged', () => {
    const path = join(folder, 'one.jsonl')
    const { sink, close } = createRecordFile(path)
    sink(STARTED)
    sink(RUNS)
    close()
    expect(readRecord(path)).toEqual([STARTED, RUNS])
  })

  it('can be read while it grows, with lines longer than one chunk', () => {
    const path = join(folder, 'grows.jsonl')
    const long: EpisodeEvent = { at: 2, type: 'report-given', kind: 'label', text: 'ä'.repeat(1_500_000) }
    writeFileSync(path, `${lines(STARTED, long, RUNS)}\n{"at":3`)
    expect(readRecord(path, { isGrowing: true })).toEqual([STARTED, long, RUNS])
    expect(() => readRecord(path)).toThrow('grows.jsonl, line 4: is not JSON')
  })

  it('of an earlier version is limited in size when it is read', () => {
    const path = join(folder, 'huge.jsonl')
    const thought = { at: 1, type: 'thought-noted', thought: 't'.repeat(3_900_000) }
    writeFileSync(path, lines(STARTED, thought))
    expect(readRecord(path)[1]).toMatchObject({ thought: expect.stringMatching(/^t{65536}\n\(3834464 /) })
  })

  it('keeps texts of model calls up to the limit of an event, and marks clipped calls', () => {
    const path = join(folder, 'said.jsonl')
    writeFileSync(path, lines(STARTED, callOf('s'.repeat(900_000)), callOf('s'.repeat(1_100_000))))
    const [, whole, clipped] = readRecord(path)
    expect(whole).toEqual(callOf('s'.repeat(900_000)))
    expect(clipped).toMatchObject({
      isClipped: true,
      answer: { reasoning: expect.stringMatching(/^s{65536}\n\(1034464 characters omitted\)$/) },
    })
    writeFileSync(path, lines(STARTED, clipped))
    expect(readRecord(path)[1]).toEqual(clipped)
  })

  it('can contain model calls of older versions', () => {
    const { toolDefinitions: _, sampling: __, answer, ...old } = callOf('x')
    const { reasoning: ___, ...oldAnswer } = answer
    const call = { ...old, answer: oldAnswer }
    expect(parseRecord(lines(STARTED, call, callOf('why')), 'it')).toEqual([STARTED, call, callOf('why')])
  })

  it('that cannot be written throws record-lost', () => {
    const path = join(folder, 'two.jsonl')
    const { sink, close } = createRecordFile(path)
    close()
    expect(() => sink(STARTED)).toThrow(expect.objectContaining({ code: 'record-lost', blame: 'harness' }))
    expect(() => createRecordFile(path)).toThrow(expect.objectContaining({ code: 'record-lost' }))
  })
})

const lines = (...events: unknown[]): string => events.map((event) => JSON.stringify(event)).join('\n')

describe('an invalid record', () => {
  it.each([
    ['', 'line 1: the first event must be episode-started'],
    ['nonsense', 'line 1: is not JSON'],
    [lines(RUNS), 'line 1: the first event must be'],
    [lines({ ...STARTED, schema: 99 }), 'line 1: has the schema 99'],
    [lines({ ...STARTED, rules: 99 }), 'line 1: needs the rules 99'],
    [
      lines(STARTED, { at: 1, type: 'processes-observed', containers: [{ pod: 'a', id: 'b' }] }),
      'line 2: containers.0.processes',
    ],
    [lines(STARTED, { at: 1, type: 'journeys-run', runs: [['greet', 'soon', 2]] }), 'line 2: runs.0.1'],
    [lines(STARTED, { at: 1, type: 'calls-observed', edges: [null] }), 'line 2: edges.0'],
    [
      lines({ ...STARTED, problem: toProblem([toPlanned({ shape: { kind: 'transient' } as never })]) }),
      'line 1: problem.faults.0.shape.forMs',
    ],
    [
      lines(STARTED, { ...callOf('x'), toolDefinitions: [{ name: 'look' }] }),
      'line 2: toolDefinitions.0.about',
    ],
    [lines(STARTED, { at: 1, type: 'unknown' }), 'line 2: type'],
    [lines(STARTED, { type: 'solver-started' }), 'line 2: at'],
    [lines(STARTED, STARTED), 'line 2: the event episode-started occurs a second time'],
  ])('is rejected with its line: %s', (text, message) => {
    expect(() => parseRecord(text, 'it.jsonl')).toThrow(`it.jsonl, ${message}`)
  })
})
