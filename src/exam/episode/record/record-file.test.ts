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

const toModelCall = (reasoning: string): Extract<EpisodeEvent, { type: 'model-called' }> => ({
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
    writeFileSync(path, `${toLines(STARTED, long, RUNS)}\n{"at":3`)
    expect(readRecord(path, { isGrowing: true })).toEqual([STARTED, long, RUNS])
    expect(() => readRecord(path)).toThrow('grows.jsonl, line 4: is not JSON')
  })

  it('of an earlier version is limited in size when it is read', () => {
    const path = join(folder, 'huge.jsonl')
    const thought = { at: 1, type: 'thought-noted', thought: 't'.repeat(3_900_000) }
    writeFileSync(path, toLines(STARTED, thought))
    expect(readRecord(path)[1]).toMatchObject({ thought: expect.stringMatching(/^t{65536}\n\(3834464 /) })
  })

  it('keeps strings of model calls up to the limit of an event, and marks clipped calls', () => {
    const path = join(folder, 'said.jsonl')
    writeFileSync(
      path,
      toLines(STARTED, toModelCall('s'.repeat(900_000)), toModelCall('s'.repeat(1_100_000))),
    )
    const [, whole, clipped] = readRecord(path)
    expect(whole).toEqual(toModelCall('s'.repeat(900_000)))
    expect(clipped).toMatchObject({
      isClipped: true,
      answer: { reasoning: expect.stringMatching(/^s{65536}\n\(1034464 characters omitted\)$/) },
    })
    writeFileSync(path, toLines(STARTED, clipped))
    expect(readRecord(path)[1]).toEqual(clipped)
  })

  it('can contain model calls of older versions', () => {
    const { toolDefinitions: _, sampling: __, answer, ...old } = toModelCall('x')
    const { reasoning: ___, ...oldAnswer } = answer
    const call = { ...old, answer: oldAnswer }
    expect(parseRecord(toLines(STARTED, call, toModelCall('why')), 'it')).toEqual([
      STARTED,
      call,
      toModelCall('why'),
    ])
  })

  it('that cannot be written throws record-lost', () => {
    const path = join(folder, 'two.jsonl')
    const { sink, close } = createRecordFile(path)
    close()
    expect(() => sink(STARTED)).toThrow(expect.objectContaining({ code: 'record-lost', blame: 'harness' }))
    expect(() => createRecordFile(path)).toThrow(expect.objectContaining({ code: 'record-lost' }))
  })
})

const toLines = (...events: unknown[]): string => events.map((event) => JSON.stringify(event)).join('\n')

describe('an invalid record', () => {
  it.each([
    ['', 'line 1: the first event must be episode-started'],
    ['nonsense', 'line 1: is not JSON'],
    [toLines(RUNS), 'line 1: the first event must be'],
    [toLines({ ...STARTED, schema: 99 }), 'line 1: has the schema 99'],
    [toLines({ ...STARTED, rules: 99 }), 'line 1: needs the rules 99'],
    [
      toLines(STARTED, { at: 1, type: 'processes-observed', containers: [{ pod: 'a', id: 'b' }] }),
      'line 2: containers.0.processes',
    ],
    [toLines(STARTED, { at: 1, type: 'journeys-run', runs: [['greet', 'soon', 2]] }), 'line 2: runs.0.1'],
    [toLines(STARTED, { at: 1, type: 'calls-observed', edges: [null] }), 'line 2: edges.0'],
    [
      toLines({ ...STARTED, problem: toProblem([toPlanned({ shape: { kind: 'transient' } as never })]) }),
      'line 1: problem.faults.0.shape.forMs',
    ],
    [
      toLines(STARTED, { ...toModelCall('x'), toolDefinitions: [{ name: 'look' }] }),
      'line 2: toolDefinitions.0.about',
    ],
    [toLines(STARTED, { at: 1, type: 'unknown' }), 'line 2: type'],
    [toLines(STARTED, { type: 'solver-started' }), 'line 2: at'],
    [toLines(STARTED, STARTED), 'line 2: the event episode-started occurs a second time'],
  ])('is rejected with its line: %s', (text, message) => {
    expect(() => parseRecord(text, 'it.jsonl')).toThrow(`it.jsonl, ${message}`)
  })
})
