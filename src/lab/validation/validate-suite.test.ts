/** Tests validations by workers without a cluster: failing ledgers, interruptions and retries. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadExampleSystem, SCRIPTED_WORKER, SCRIPTED_WORKER_JOURNAL } from '#lab/testing'
import { type Problem, RemediumError, type SystemView } from '#spec'
import { openLedger } from './ledger.ts'
import { type ValidationOptions, validateSuite } from './validate-suite.ts'

const HEAD = { suite: 's', seed: '1', commit: 'c' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'validate-suite-'))
  process.env[SCRIPTED_WORKER_JOURNAL] = join(folder, 'journal')
  writeFileSync(join(folder, 'journal'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A control: doing nothing is the only attempt. */
const problem = (id: string, ...script: readonly string[]): Problem =>
  ({
    id,
    system: 'shop',
    task: 'mitigation',
    faults: [],
    seed: JSON.stringify({ 'do-nothing': script }),
  }) as unknown as Problem

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pids: number[] = []
const createOptions = (rest: Pick<ValidationOptions, 'ledger' | 'signal'>): ValidationOptions => ({
  faults: new Map(),
  loadSystem: loadExampleSystem,
  commonHacks: [],
  hackShare: 1,
  seed: '1',
  workers: 1,
  program: SCRIPTED_WORKER,
  systemOf: () => ({}) as SystemView,
  onWorker: ({ pid }) => pids.push(pid),
  ...rest,
})

it('rejects if the ledger cannot be written, and leaves no worker running', async () => {
  const ledger = openLedger(undefined, HEAD)
  const failingLedger = {
    ...ledger,
    add() {
      throw new RemediumError('record-lost', 'The disk is full.')
    },
  }
  const { signal } = new AbortController()
  const validating = validateSuite(
    [problem('a'), problem('b')],
    createOptions({ ledger: failingLedger, signal }),
  )
  await expect(validating).rejects.toThrow('The disk is full.')
  expect(pids.splice(0).filter(isAlive)).toEqual([])
})

it('keeps finished attempts when it is interrupted, and resumes from there', async () => {
  const path = join(folder, 'ledger.jsonl')
  const problems = [problem('a'), problem('b', 'wait')]
  const interruption = new AbortController()
  const first = openLedger(path, HEAD)
  const validating = validateSuite(problems, {
    ...createOptions({ ledger: first, signal: interruption.signal }),
    onStage: ({ id }) => id === 'b' && interruption.abort(new RemediumError('interrupted', 'Enough.')),
  })
  await expect(validating).rejects.toThrow('Enough.')
  first.close()
  expect(pids.splice(0).filter(isAlive)).toEqual([])
  const resumed = openLedger(path, HEAD)
  expect(resumed.results.map((one) => one.problem)).toEqual(['a'])
  const { signal } = new AbortController()
  const { valid, problems: proven } = await validateSuite(
    problems,
    createOptions({ ledger: resumed, signal }),
  )
  resumed.close()
  expect({ valid, proven: proven.length }).toEqual({ valid: 2, proven: 2 })
})

it('reports failures that happened before it was resumed', async () => {
  const path = join(folder, 'ledger.jsonl')
  const problems = [problem('a', 'fail', 'fail', 'fail')]
  const { signal } = new AbortController()
  const validate = async () => {
    const ledger = openLedger(path, HEAD)
    const validity = await validateSuite(problems, createOptions({ ledger, signal }))
    ledger.close()
    return validity
  }
  expect((await validate()).problems[0]).toMatchObject({ valid: false, retries: [] })
  for (const resumed of [await validate(), await validate()])
    expect(resumed.problems[0]).toMatchObject({
      valid: true,
      attempts: [{ outcome: 'resolved', tries: 4 }],
      retries: ['do-nothing needed 4 tries: The disk is full. The disk is full. The disk is full.'],
    })
})

it('counts failures for the attempt that was started, not for those after it, and keeps a record of each', async () => {
  const hacks = ['one', 'two'].map((name) => ({ name, about: name, act: async () => {} }))
  const faultyProblem = {
    ...problem('a', 'fail', 'fail', 'fail'),
    faults: [{ fault: 'leak', target: { service: 's' }, params: {}, shape: { kind: 'sudden' } }],
  } as unknown as Problem
  const ledger = openLedger(undefined, HEAD)
  const { signal } = new AbortController()
  const records = join(folder, 'records')
  mkdirSync(records)
  await validateSuite([faultyProblem], {
    ...createOptions({ ledger, signal }),
    commonHacks: hacks,
    records,
  })
  expect(
    ledger.results.map(({ attempt, outcome, tries, failures }) => [
      attempt,
      outcome,
      tries,
      failures?.length,
    ]),
  ).toEqual([
    ['do-nothing', 'void', 3, 3],
    ['reference', 'void', 1, undefined],
    ['hack one', 'void', 1, undefined],
    ['hack two', 'void', 1, undefined],
  ])
  expect(readdirSync(records).sort()).toEqual([
    'a.do-nothing.void-1.jsonl',
    'a.do-nothing.void-2.jsonl',
    'a.do-nothing.void-3.jsonl',
    'a.hack-one.void-1.jsonl',
    'a.hack-two.void-1.jsonl',
    'a.reference.void-1.jsonl',
  ])
})
