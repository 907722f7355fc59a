/** Tests how attempts are paired and counted, and the page about them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { recordPathOf } from '#lab/records'
import type { AttemptResult, FinishedLedger } from '#lab/validation'
import { EPISODE_SCHEMA } from '#spec'
import { agreementDocument } from './agreement-document.ts'
import { pairAttempts } from './pair-attempts.ts'
import { withMetrics } from './read-metrics.ts'
import { summariseAgreement } from './summarise-agreement.ts'

const result = (problem: string, attempt: string, more: Partial<AttemptResult> = {}): AttemptResult => ({
  problem,
  attempt,
  outcome: attempt === 'reference' ? 'resolved' : 'unresolved',
  expected: 'resolved',
  reason: `the reason of ${attempt}`,
  system: problem.split('.')[0]!,
  task: 'mitigation',
  faults: [problem.split('.')[1]!],
  stages: { impact: 1000 },
  hasImpact: true,
  alerts: [],
  damage: 0,
  tries: 1,
  ...more,
})

const ledger = (engine: string, results: readonly AttemptResult[]): FinishedLedger => ({
  path: engine,
  suite: 'smoke',
  engine,
  commits: [`${engine}-commit`],
  results,
})

const compare = (local: readonly AttemptResult[], sim: readonly AttemptResult[]) =>
  summariseAgreement(pairAttempts([ledger('local', local), ledger('sim', sim)]))

const UNSUPPORTED = { outcome: 'void', code: 'unsupported' } as const

it('counts equal and different verdicts, and unsupported attempts apart', () => {
  const local = [
    result('shop.leak', 'do-nothing'),
    result('shop.leak', 'reference'),
    result('shop.leak', 'hack a'),
    result('shop.leak', 'hack b'),
    result('shop.slow', 'reference'),
    result('shop.slow', 'hack c'),
  ]
  const sim = [
    result('shop.leak', 'do-nothing'),
    result('shop.leak', 'reference', { outcome: 'void', reason: 'no user impact' }),
    result('shop.leak', 'hack a', UNSUPPORTED),
    result('shop.leak', 'hack b', { outcome: 'void', reason: 'no user impact' }),
    result('shop.slow', 'reference'),
    result('shop.slow', 'hack d'),
  ]
  const agreement = compare(local, sim)
  expect(agreement).toMatchObject({
    equal: 2,
    different: 2,
    unsupported: 1,
    share: 0.5,
    onlyLocal: 1,
    onlySim: 1,
    byFault: [
      { name: 'leak', equal: 1, different: 2, unsupported: 1 },
      { name: 'slow', equal: 1, different: 0, unsupported: 0 },
    ],
  })
  expect(agreement.byAttempt.find(({ name }) => name === 'hack a')).toEqual({
    name: 'hack a',
    equal: 0,
    different: 0,
    unsupported: 1,
  })
})

it('groups different verdicts of a problem by outcome and reason', () => {
  const asVoid = { outcome: 'void', reason: 'no user impact' } as const
  const attempts = ['do-nothing', 'hack a']
  const { differences } = compare(
    attempts.map((attempt) => result('shop.leak', attempt)),
    attempts.map((attempt) => result('shop.leak', attempt, asVoid)),
  )
  expect(differences).toMatchObject([{ problem: 'shop.leak', attempts, sim: asVoid }])
})

it('correlates the impact of problems once, and the repairs that both engines resolve', () => {
  const attempts = ['do-nothing', 'reference']
  const onEngine = (factor: number) =>
    [1, 2, 3].flatMap((each) =>
      attempts.map((attempt) =>
        result(`shop.fault-${each}`, attempt, {
          stages: { impact: each * factor },
          metrics: { timeToMitigate: -each * factor, journeyRunsFailed: each, journeyRuns: 4 },
        }),
      ),
    )
  const [impact, mitigation, lost] = compare(onEngine(1), onEngine(10)).measures
  expect(impact).toMatchObject({ pairs: 3, local: 2, sim: 20 })
  expect(impact!.correlation).toBeCloseTo(1)
  expect(mitigation!.pairs).toBe(3)
  expect(lost!.pairs).toBe(6)
})

it('reads missing metrics from records of the engine', () => {
  const folder = mkdtempSync(`${tmpdir()}/agreement-`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const one = result('shop.leak', 'reference')
  const verdict = {
    ...{ task: 'mitigation', outcome: 'resolved', reason: 'good', judgements: [], damage: [] },
    metrics: {
      ...{ steps: 1, tokens: { input: 0, output: 0 }, collateralDamage: 0, timeToMitigate: 7 },
      ...{ journeyRunsFailed: 3, journeyRuns: 5 },
    },
  }
  const started = {
    ...{ at: 0, type: 'episode-started', schema: EPISODE_SCHEMA, rules: 6, time: 1, solver: 'reference' },
    ...{ engine: 'local', load: { loop: 'open', arrivals: { kind: 'constant', rate: 1 } } },
    problem: {
      ...{ id: 'shop.leak', system: 'shop', task: 'mitigation', report: 'none', seed: '1', faults: [] },
      budget: { steps: 1, seconds: 1 },
    },
  }
  const path = recordPathOf(folder, one.problem, one.attempt)
  writeFileSync(
    path,
    `${JSON.stringify(started)}\n${JSON.stringify({ at: 9, type: 'verdict-given', verdict })}\n`,
  )
  const metrics = { timeToMitigate: 7, journeyRunsFailed: 3, journeyRuns: 5 }
  expect(withMetrics(ledger('local', [one]), [folder]).results).toEqual([{ ...one, metrics }])
  expect(withMetrics(ledger('sim', [one]), [folder]).results).toEqual([one])
})

it('writes a page with all tables and the reasons of different verdicts', () => {
  const agreement = compare(
    [result('shop.leak', 'reference'), result('shop.slow', 'reference')],
    [result('shop.leak', 'reference'), result('shop.slow', 'reference', { outcome: 'void', reason: 'calm' })],
  )
  const page = agreementDocument(agreement, {
    date: '2026-01-02',
    commit: 'abc',
    machine: '2 cores',
    command: 'remedium agree',
    ledgers: [ledger('local', []), ledger('sim', [])],
  })
  expect(page).toContain('1 of 2 attempts at 2 problems have the same verdict')
  expect(page).toContain('| leak | 1 | 0 | 0 | 100.0 % |')
  expect(page).toContain(
    '- `shop.slow`, reference\n  - local: resolved: the reason of reference\n  - sim: void: calm',
  )
  expect(page).toContain('smoke on sim (commit sim-commit)')
})
