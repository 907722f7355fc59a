/** Tests of the ledger: resumption, torn lines, invalid files. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AttemptResult } from './attempt.ts'
import { type LedgerHead, openLedger } from './ledger.ts'

const HEAD: LedgerHead = { suite: 'smoke', seed: '1', commit: 'abc' }

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  path = join(folder, 'ledger.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const result = (problem: string, attempt: string, outcome = 'unresolved'): AttemptResult =>
  ({
    problem,
    attempt,
    outcome,
    expected: 'unresolved',
    reason: 'ü',
    stages: {},
    tries: 1,
    system: 's',
    task: 'mitigation',
    faults: [],
    hasImpact: true,
    alerts: [],
    damage: 0,
  }) as unknown as AttemptResult

const writeResults = (...results: AttemptResult[]): void => {
  const ledger = openLedger(path, HEAD)
  for (const one of results) ledger.add(one)
  ledger.close()
}

const reopen = (head = HEAD, choices = {}) => {
  const ledger = openLedger(path, head, choices)
  ledger.close()
  return ledger
}

describe('the ledger', () => {
  it('contains the finished attempts after a restart', () => {
    writeResults(result('a', 'do-nothing'), result('a', 'reference'))
    const again = reopen()
    expect(again.results).toEqual([result('a', 'do-nothing'), result('a', 'reference')])
    expect([again.has('a', 'reference'), again.has('b', 'reference')]).toEqual([true, false])
  })

  it('writes each line to disk when it is added', () => {
    const ledger = openLedger(path, HEAD)
    ledger.add(result('a', 'do-nothing'))
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
    ledger.close()
  })

  it('drops a torn last line and appends after the complete ones', () => {
    writeResults(result('a', 'do-nothing'))
    appendFileSync(path, '{"problem":"a","att')
    writeResults(result('a', 'reference'))
    expect(reopen().results.map(({ attempt }) => attempt)).toEqual(['do-nothing', 'reference'])
  })

  it('starts over in a file whose only line is torn', () => {
    writeFileSync(path, '{"ledger":1,"su')
    writeResults(result('a', 'reference'))
    expect(reopen().results).toHaveLength(1)
  })

  it('does not count a void attempt as finished', () => {
    writeResults(result('a', 'reference', 'void'))
    expect(reopen().has('a', 'reference')).toBe(false)
  })

  it('adds the failures of earlier runs to the final result, however often it is resumed', () => {
    const voidResult = (...failures: string[]): AttemptResult => ({
      ...result('a', 'do-nothing', 'void'),
      tries: failures.length,
      failures,
    })
    writeResults(voidResult('Users were affected.', 'The cluster was lost.'))
    writeResults(voidResult('The machine was busy.'))
    const done = { ...result('a', 'do-nothing', 'resolved'), tries: 2, failures: ['It was lost again.'] }
    const expected = {
      ...done,
      tries: 5,
      failures: [
        'Users were affected.',
        'The cluster was lost.',
        'The machine was busy.',
        'It was lost again.',
      ],
    }
    const ledger = openLedger(path, HEAD)
    ledger.add(done)
    expect(ledger.results).toEqual([expected])
    ledger.close()
    expect(reopen().results).toEqual([expected])
    expect(reopen().results).toEqual([expected])
  })

  it.each([
    [{ suite: 'core' }, 'has the suite "smoke", not "core"'],
    [{ seed: '2' }, 'has the seed "1", not "2"'],
    [{ commit: 'def' }, 'has the commit "abc", not "def"'],
    [{ engine: 'sim' }, 'has the engine "local", not "sim"'],
  ])('rejects a validation with %j', (other, sentence) => {
    writeResults(result('a', 'reference'))
    expect(() => reopen({ ...HEAD, ...other })).toThrow(sentence)
  })

  it('accepts another commit if that is allowed', () => {
    writeResults(result('a', 'reference'))
    const other = { ...HEAD, commit: 'def' }
    const second = openLedger(path, other, { anyCommit: true })
    expect(second.has('a', 'reference')).toBe(true)
    expect(second.commits).toEqual(['abc'])
    second.add(result('b', 'reference'))
    second.close()
    const third = reopen(other, { anyCommit: true })
    expect(third.commits).toEqual(['abc', 'def'])
    expect(third.results).toHaveLength(2)
  })

  const head = JSON.stringify({ ledger: 1, ...HEAD })
  it.each([
    ['a line that is not JSON', `${head}\nnonsense\n`, 'line 2, is not JSON'],
    ['another file', '{"name":"remedium"}\n', 'is not a ledger of this version'],
    ['a text without a line break', 'my only copy', 'is not a ledger of this version'],
    ['JSON without a line break', '{"ledger":2', 'is not a ledger of this version'],
    ['binary data', Buffer.from([0x80, 0xff, 0, 0xfe]), 'is not a ledger of this version'],
    ['another version', '{"ledger":2}\n', 'is not a ledger of this version'],
    ['null instead of a head', 'null\n', 'is not a ledger of this version'],
    ['a head without a suite', '{"ledger":1}\n', 'line 1 is not a line of a ledger: suite'],
    ['null instead of a result', `${head}\nnull\n`, 'line 2 is not a line of a ledger: value'],
    ['an incomplete result', `${head}\n{"problem":1}\n`, 'line 2 is not a line of a ledger: problem'],
  ])('rejects %s in one sentence, and does not change the file', (_, text, sentence) => {
    writeFileSync(path, text)
    expect(() => reopen()).toThrow(sentence)
    expect(readFileSync(path)).toEqual(Buffer.from(text))
  })

  it('drops a line that is torn inside a character', () => {
    writeResults(result('a', 'do-nothing'))
    appendFileSync(path, Buffer.from([0x7b, 0xc3]))
    writeResults(result('a', 'reference'))
    expect(reopen().results.map(({ attempt }) => attempt)).toEqual(['do-nothing', 'reference'])
  })

  it('is locked by one process', () => {
    const first = openLedger(path, HEAD)
    expect(() => openLedger(path, HEAD)).toThrow(`Another process uses the ledger ${path}.`)
    first.add(result('a', 'reference'))
    first.close()
    expect(reopen().results).toHaveLength(1)
  })

  it('rejects pipes and folders', () => {
    execFileSync('mkfifo', [path])
    expect(() => openLedger(path, HEAD)).toThrow('is not a regular file')
    expect(() => openLedger(folder, HEAD)).toThrow('is a folder')
  })

  it('reports a path that is not writable', () => {
    expect(() => openLedger(join(folder, 'none', 'x'), HEAD)).toThrow('The ledger cannot be written to')
  })
})
