/** Tests of the ledger: what it keeps, what it forgives, what it refuses. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AttemptResult } from '../attempt.ts'
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
    felt: true,
    alerts: [],
    damage: 0,
  }) as unknown as AttemptResult

const write = (...results: AttemptResult[]): void => {
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
  it('knows after a restart what was finished', () => {
    write(result('a', 'do-nothing'), result('a', 'reference'))
    const again = reopen()
    expect(again.results).toEqual([result('a', 'do-nothing'), result('a', 'reference')])
    expect([again.has('a', 'reference'), again.has('b', 'reference')]).toEqual([true, false])
  })

  it('holds every line on disk as soon as it is added', () => {
    const ledger = openLedger(path, HEAD)
    ledger.add(result('a', 'do-nothing'))
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
    ledger.close()
  })

  it('does again what was cut off in the middle of its line, and goes on behind what is whole', () => {
    write(result('a', 'do-nothing'))
    appendFileSync(path, '{"problem":"a","att')
    write(result('a', 'reference'))
    expect(reopen().results.map(({ attempt }) => attempt)).toEqual(['do-nothing', 'reference'])
  })

  it('begins anew in a file whose only line was cut off', () => {
    writeFileSync(path, '{"ledger":1,"su')
    write(result('a', 'reference'))
    expect(reopen().results).toHaveLength(1)
  })

  it('lets what the harness spoilt be tried again', () => {
    write(result('a', 'reference', 'void'))
    expect(reopen().has('a', 'reference')).toBe(false)
  })

  it('does not forget why something was spoilt when it is done at last, however often it is taken up', () => {
    const spoilt = (...failures: string[]): AttemptResult => ({
      ...result('a', 'do-nothing', 'void'),
      tries: failures.length,
      failures,
    })
    write(spoilt('Users felt something.', 'The cluster was lost.'))
    write(spoilt('The machine was busy.'))
    const done = { ...result('a', 'do-nothing', 'resolved'), tries: 2, failures: ['It was lost again.'] }
    const told = {
      ...done,
      tries: 5,
      failures: [
        'Users felt something.',
        'The cluster was lost.',
        'The machine was busy.',
        'It was lost again.',
      ],
    }
    const ledger = openLedger(path, HEAD)
    ledger.add(done)
    expect(ledger.results).toEqual([told])
    ledger.close()
    expect(reopen().results).toEqual([told])
    expect(reopen().results).toEqual([told])
  })

  it.each([
    [{ suite: 'core' }, 'is of the suite "smoke", not of "core"'],
    [{ seed: '2' }, 'is of the seed "1", not of "2"'],
    [{ commit: 'def' }, 'is of the commit "abc", not of "def"'],
  ])('refuses to mix with %j', (other, sentence) => {
    write(result('a', 'reference'))
    expect(() => reopen({ ...HEAD, ...other })).toThrow(sentence)
  })

  it('mixes commits when told to', () => {
    write(result('a', 'reference'))
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
    ['no JSON in the middle', `${head}\nnonsense\n`, 'line 2, is not JSON'],
    ['another file', '{"name":"remedium"}\n', 'is not a ledger of this version'],
    ['a text without a line break', 'my only copy', 'is not a ledger of this version'],
    ['JSON without a line break', '{"ledger":2', 'is not a ledger of this version'],
    ['bytes that are no text', Buffer.from([0x80, 0xff, 0, 0xfe]), 'is not a ledger of this version'],
    ['another version', '{"ledger":2}\n', 'is not a ledger of this version'],
    ['nothing where a head should be', 'null\n', 'is not a ledger of this version'],
    ['a head without a suite', '{"ledger":1}\n', 'line 1, is no line of a ledger: suite'],
    ['nothing where a result should be', `${head}\nnull\n`, 'line 2, is no line of a ledger: it'],
    ['half a result', `${head}\n{"problem":1}\n`, 'line 2, is no line of a ledger: problem'],
  ])('refuses %s in a sentence, and leaves it as it is', (_, text, sentence) => {
    writeFileSync(path, text)
    expect(() => reopen()).toThrow(sentence)
    expect(readFileSync(path)).toEqual(Buffer.from(text))
  })

  it('counts bytes of what was cut off in the middle of a letter', () => {
    write(result('a', 'do-nothing'))
    appendFileSync(path, Buffer.from([0x7b, 0xc3]))
    write(result('a', 'reference'))
    expect(reopen().results.map(({ attempt }) => attempt)).toEqual(['do-nothing', 'reference'])
  })

  it('is held by one alone', () => {
    const first = openLedger(path, HEAD)
    expect(() => openLedger(path, HEAD)).toThrow(`Another process is at the ledger ${path}.`)
    first.add(result('a', 'reference'))
    first.close()
    expect(reopen().results).toHaveLength(1)
  })

  it('is no pipe, which would never end, and no folder', () => {
    execFileSync('mkfifo', [path])
    expect(() => openLedger(path, HEAD)).toThrow('is no plain file')
    expect(() => openLedger(folder, HEAD)).toThrow('is a folder')
  })

  it('says where it cannot write', () => {
    expect(() => openLedger(join(folder, 'none', 'x'), HEAD)).toThrow('The ledger cannot be written to')
  })
})
