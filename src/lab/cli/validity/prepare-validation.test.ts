/** Tests that the machine is checked before a validation. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type AttemptResult, openLedger } from '#lab/validation'
import type { Problem } from '#spec'
import { prepareValidation } from './prepare-validation.ts'

const PROBLEM: Problem = {
  id: 'a',
  system: 'shop',
  task: 'mitigation',
  faults: [],
  report: 'symptoms',
  seed: 's',
  budget: { steps: 5, seconds: 60 },
}
const PLAN: Parameters<typeof prepareValidation>[0] = [
  {
    problem: PROBLEM,
    attempts: [
      { name: 'do-nothing', expected: 'unresolved' },
      { name: 'reference', expected: 'resolved' },
    ],
  },
]
const resultOf = (attempt: string, outcome: AttemptResult['expected']): AttemptResult => ({
  problem: 'a',
  system: 'shop',
  faults: [],
  task: 'mitigation',
  attempt,
  expected: outcome,
  outcome,
  reason: 'as expected',
  stages: {},
  hasImpact: true,
  alerts: [],
  damage: 0,
  tries: 1,
})

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'prepare-validation-'))
  // A PATH without any program.
  vi.stubEnv('PATH', home)
  vi.stubEnv('REMEDIUM_INSTALL', 'no')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

const open = () => openLedger(join(home, 'ledger.jsonl'), { suite: 'easy', seed: 'own', commit: 'unknown' })
const prepare = (): Promise<void> =>
  prepareValidation(PLAN, { engine: 'local', path: join(home, 'ledger.jsonl'), open, progress() {} })
const addResult = (result: AttemptResult): void => {
  const ledger = open()
  ledger.add(result)
  ledger.close()
}

it('reports missing programs before a ledger is created', async () => {
  await expect(prepare()).rejects.toThrow('Real containers need ')
  expect(readdirSync(home)).toEqual([])
})

it('checks nothing if the ledger contains every attempt', async () => {
  addResult(resultOf('do-nothing', 'unresolved'))
  await expect(prepare()).rejects.toThrow('Real containers need ')
  addResult(resultOf('reference', 'resolved'))
  await prepare()
})
