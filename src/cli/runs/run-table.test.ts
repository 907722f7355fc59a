/** Tests of the tables that a run ends with, and of what its progress is told in. */
import { expect, it } from 'vitest'
import type { EpisodesSummary, RunSummary } from '../../runs/index.ts'
import { runTable } from './run-table.ts'
import { toClock } from './run-view.ts'

const group = (name: string, resolved: number, episodes: number): EpisodesSummary => ({
  name,
  episodes,
  resolved,
  voided: 0,
  share: resolved / episodes,
  interval: { low: 0.25, high: 0.75 },
  medians: { steps: 3, timeToMitigate: 4321 },
  blame: {},
  tokens: { input: 1000, output: 234 },
  costUsd: 0.02,
})

const SUMMARY: RunSummary = {
  run: 'r',
  suites: ['easy'],
  planned: 5,
  finished: 4,
  contenders: [
    {
      ...group('react m', 2, 4),
      voided: 1,
      blame: { agent: 2, provider: 1 },
      agent: 'react',
      models: { solver: 'm' },
      bySystem: [group('shop', 2, 4)],
      byTask: [],
      bySuite: [],
      byCategory: [group('disk-io', 1, 2), group('pod-fail', 1, 2)],
      passes: [
        { k: 1, problems: 2, atLeastOne: 0.5, all: 0.5 },
        { k: 2, problems: 2, atLeastOne: 1, all: 0 },
      ],
      answers: { top: { 1: 0.5, 3: 1, 5: 1 } },
    },
  ],
}

it('tells what was resolved, by what, at what price, and who is to blame', () => {
  expect(runTable(SUMMARY).split('\n')).toEqual([
    'AGENT    RESOLVED  [95 %]       VOID  MITIGATED IN  STEPS  TOKENS  COST     DAMAGE',
    'react m  2/4  50.0 %  [25, 75]  1     4.3 s         3      1234    $0.0200  -',
    '',
    'CATEGORY  react m',
    'disk-io   1/2  50.0 %  [25, 75]',
    'pod-fail  1/2  50.0 %  [25, 75]',
    '',
    'AGENT    pass@1  pass@2   pass^1  pass^2',
    'react m  50.0 %  100.0 %  50.0 %  0.0 %',
    '',
    'AGENT    F1  FALSE ALARMS  TOP 1   TOP 3    EXACT',
    'react m  -   -             50.0 %  100.0 %  -',
    '',
    'Not resolved, react m: agent 2, provider 1.',
    '',
    '1 of 5 episodes have not ended.',
  ])
})

it('does not take a cost that is not known for none', () => {
  const { costUsd: _, ...unpriced } = SUMMARY.contenders[0]!
  const lines = (contender: RunSummary['contenders'][number]): string =>
    runTable({ ...SUMMARY, contenders: [contender] }).split('\n')[1]!
  expect(lines(unpriced)).toMatch(/1234 +\? +-$/)
  expect(lines({ ...unpriced, costUsd: 0 })).toMatch(/1234 +- +-$/)
})

it.each([
  [0, '0:00'],
  [59_600, '1:00'],
  [3_723_000, '1:02:03'],
])('tells %d ms as %s', (ms, text) => {
  expect(toClock(ms)).toBe(text)
})
