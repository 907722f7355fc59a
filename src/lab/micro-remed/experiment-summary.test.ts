/** Tests of the summary of a series. */
import { expect, it } from 'vitest'
import { defined } from '#kit'
import { exampleResult } from '#lab/testing'
import { experimentSummary } from './experiment-summary.ts'

it('counts successes among judged episodes, and void ones by blame', () => {
  const text = experimentSummary([
    { result: exampleResult('a.1.1', { stages: { solve: 6000 } }), attempts: 2 },
    { result: exampleResult('b.1.1', { outcome: 'unresolved', categories: ['disk-io'] }), attempts: 1 },
    ...(['environment', 'provider', 'harness', 'provider'] as const).map((blame, index) => ({
      result: exampleResult(`c.1.${index}`, {
        outcome: 'void',
        categories: ['disk-io'],
        blame,
        code: index === 0 ? 'no-user-impact' : 'model-failed',
      }),
      attempts: 0,
    })),
  ])
  expect(text.split('\n')).toEqual([
    'Total experiments: 6',
    'Injection failures: 1',
    'Void for other reasons: 3 (harness 1, provider 2)',
    'Successful remediations: 1',
    'Success rate: 50.00%',
    'Average attempts per success: 2.00',
    'Average remediation time (successes): 6.00 s',
    'Average tokens (successes): 15',
    'Average remediation time (all): 3.00 s',
    'Average tokens (all): 15',
    'Success by failure type:',
    '  cpu-stress: 1/1',
    '  disk-io: 0/1',
  ])
})

it("adds the rate by MicroRemed's check, and how often it differs from the verdicts", () => {
  const experimentWith = (outcome: 'resolved' | 'unresolved' | 'void', passesMicroRemedCheck?: boolean) => ({
    result: exampleResult('a.1.1', { outcome, ...defined({ passesMicroRemedCheck }) }),
    attempts: 1,
  })
  const text = experimentSummary([
    ...[
      experimentWith('resolved', true),
      experimentWith('resolved', false),
      experimentWith('unresolved', true),
      experimentWith('unresolved', true),
    ],
    ...[experimentWith('unresolved', false), experimentWith('resolved'), experimentWith('void', true)],
  ])
  expect(text.split('\n').slice(4, 6)).toEqual([
    'Success rate: 50.00%',
    "Success rate by MicroRemed's check: 60.00% (3/5; passed but unresolved 2, failed but resolved 1)",
  ])
  expect(experimentSummary([experimentWith('resolved')])).not.toContain("MicroRemed's check")
})

it('has no success rate if no episode was judged', () => {
  const result = exampleResult('a.1.1', { outcome: 'void', blame: 'provider', code: 'model-failed' })
  expect(experimentSummary([{ result, attempts: 0 }])).toContain('Success rate: n/a')
})
