/** Tests of a validation by workers without a cluster: what becomes of it when its ledger fails or the user ends it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Problem, RemediumError, type SystemView } from '../../spec/index.ts'
import { openLedger } from './ledger.ts'
import { type ValidationOptions, validateSuite } from './validate-suite.ts'

const PROGRAM = join(import.meta.dirname, '..', 'testing', 'moody-worker.ts')
const HEAD = { suite: 's', seed: '1', commit: 'c' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'validate-suite-'))
  process.env.MOODY_DIARY = join(folder, 'diary')
  writeFileSync(process.env.MOODY_DIARY, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A control: doing nothing is all that is tried. */
const problem = (id: string, ...moods: readonly string[]): Problem =>
  ({
    id,
    system: 'shop',
    task: 'mitigation',
    faults: [],
    seed: JSON.stringify({ 'do-nothing': moods }),
  }) as unknown as Problem

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pids: number[] = []
const options = (rest: Pick<ValidationOptions, 'ledger' | 'signal'>): ValidationOptions => ({
  faults: new Map(),
  commonHacks: [],
  hackShare: 1,
  seed: '1',
  workers: 1,
  program: PROGRAM,
  systemOf: () => ({}) as SystemView,
  onWorker: ({ pid }) => pids.push(pid),
  ...rest,
})

it('ends with the error of a ledger that cannot be written to any more, and leaves no worker', async () => {
  const ledger = openLedger(undefined, HEAD)
  const full = {
    ...ledger,
    add() {
      throw new RemediumError('record-lost', 'The disk is full.')
    },
  }
  const { signal } = new AbortController()
  const made = validateSuite([problem('a'), problem('b')], options({ ledger: full, signal }))
  await expect(made).rejects.toThrow('The disk is full.')
  expect(pids.splice(0).filter(isAlive)).toEqual([])
})

it('keeps in the ledger what was done when the user ended it, and goes on from there', async () => {
  const path = join(folder, 'ledger.jsonl')
  const problems = [problem('a'), problem('b', 'wait')]
  const asked = new AbortController()
  const first = openLedger(path, HEAD)
  const made = validateSuite(problems, {
    ...options({ ledger: first, signal: asked.signal }),
    onStage: ({ id }) => id === 'b' && asked.abort(new RemediumError('interrupted', 'Enough.')),
  })
  await expect(made).rejects.toThrow('Enough.')
  first.close()
  expect(pids.splice(0).filter(isAlive)).toEqual([])
  const again = openLedger(path, HEAD)
  expect(again.results.map((one) => one.problem)).toEqual(['a'])
  const { signal } = new AbortController()
  const { valid, problems: proven } = await validateSuite(problems, options({ ledger: again, signal }))
  again.close()
  expect({ valid, proven: proven.length }).toEqual({ valid: 2, proven: 2 })
})

it('tells of what was spoilt before it was taken up', async () => {
  const path = join(folder, 'ledger.jsonl')
  const problems = [problem('a', 'fail', 'fail', 'fail')]
  const { signal } = new AbortController()
  const validate = async () => {
    const ledger = openLedger(path, HEAD)
    const validity = await validateSuite(problems, options({ ledger, signal }))
    ledger.close()
    return validity
  }
  expect((await validate()).problems[0]).toMatchObject({ valid: false, repetitions: [] })
  for (const again of [await validate(), await validate()])
    expect(again.problems[0]).toMatchObject({
      valid: true,
      attempts: [{ outcome: 'resolved', tries: 4 }],
      repetitions: ['do-nothing was begun 4 times: The disk is full. The disk is full. The disk is full.'],
    })
})

it('lays failures to the attempt that was begun, not to those behind it', async () => {
  const hacks = ['one', 'two'].map((name) => ({ name, about: name, act: async () => {} }))
  const one = {
    ...problem('a', 'fail', 'fail', 'fail'),
    faults: [{ fault: 'leak', target: { service: 's' }, params: {}, shape: { kind: 'sudden' } }],
  } as unknown as Problem
  const ledger = openLedger(undefined, HEAD)
  const { signal } = new AbortController()
  await validateSuite([one], { ...options({ ledger, signal }), commonHacks: hacks })
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
})
