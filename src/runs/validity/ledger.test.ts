/** Tests of the ledger: what it keeps, what it forgives, what it refuses. */
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
  ({ problem, attempt, outcome, expected: 'unresolved', reason: 'ü', stages: {} }) as unknown as AttemptResult

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
    expect(reopen({ ...HEAD, commit: 'def' }, { anyCommit: true }).has('a', 'reference')).toBe(true)
  })

  it.each([
    ['no JSON in the middle', '{"ledger":1}\nnonsense\n', 'line 2, is not JSON'],
    ['another file', '{"name":"remedium"}\n', 'is not a ledger of this version'],
  ])('refuses %s in a sentence', (_, text, sentence) => {
    writeFileSync(path, text)
    expect(() => reopen()).toThrow(sentence)
  })

  it('says where it cannot write', () => {
    expect(() => openLedger(join(folder, 'none', 'x'), HEAD)).toThrow('The ledger cannot be written to')
  })
})
