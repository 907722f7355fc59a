/** Tests of the result tables of a run, and of the elapsed time in its progress. */
import { expect, it } from 'vitest'
import type { EpisodesSummary, RunSummary } from '#lab/runs'
import { toElapsed } from './episode-counts.ts'
import { runTable } from './run-table.ts'

const summaryOf = (name: string, resolved: number, episodes: number): EpisodesSummary => ({
  name,
  episodes,
  resolved,
  voided: 0,
  unsupported: 0,
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
  variant: 'private',
  planned: 5,
  finished: 4,
  comparisons: [],
  contenders: [
    {
      ...summaryOf('react m', 2, 4),
      voided: 1,
      blame: { agent: 2, provider: 1 },
      agent: 'react',
      models: { solver: 'm' },
      bySystem: [summaryOf('shop', 2, 4)],
      byTask: [],
      bySuite: [],
      byCategory: [summaryOf('disk-io', 1, 2), summaryOf('pod-fail', 1, 2)],
      passes: [
        { k: 1, problems: 2, atLeastOne: 0.5, all: 0.5 },
        { k: 2, problems: 2, atLeastOne: 1, all: 0 },
      ],
      answers: { top: { 1: 0.5, 3: 1, 5: 1 } },
    },
  ],
}

it('shows resolved shares, cost and blame', () => {
  expect(runTable(SUMMARY).split('\n')).toEqual([
    'CONTENDER  RESOLVED  [95 %]       VOID  MITIGATED IN  STEPS  TOKENS  COST     DAMAGE',
    'react m    2/4  50.0 %  [25, 75]  1     4.3 s         3      1234    $0.0200  -',
    '',
    'CATEGORY  react m',
    'disk-io   1/2  50.0 %  [25, 75]',
    'pod-fail  1/2  50.0 %  [25, 75]',
    '',
    'CONTENDER  pass@1  pass@2   pass^1  pass^2',
    'react m    50.0 %  100.0 %  50.0 %  0.0 %',
    '',
    'CONTENDER  F1  FALSE ALARMS  TOP 1   TOP 3    EXACT',
    'react m    -   -             50.0 %  100.0 %  -',
    '',
    'Not resolved, by blame, react m: agent 2, provider 1.',
    '',
    'Problems: private variant.',
    '',
    '1 of 5 episodes have not ended.',
  ])
})

it('shows how many void episodes the engine does not support', () => {
  const contender = { ...SUMMARY.contenders[0]!, voided: 3, unsupported: 2 }
  expect(runTable({ ...SUMMARY, contenders: [contender] })).toContain('  3 (2 unsupported)  ')
})

it('distinguishes an unknown cost from no cost', () => {
  const { costUsd: _, ...unpriced } = SUMMARY.contenders[0]!
  const firstRow = (contender: RunSummary['contenders'][number]): string =>
    runTable({ ...SUMMARY, contenders: [contender] }).split('\n')[1]!
  expect(firstRow(unpriced)).toMatch(/1234 +\? +-$/)
  expect(firstRow({ ...unpriced, costUsd: 0 })).toMatch(/1234 +- +-$/)
})

it.each([
  [0, '0:00'],
  [59_600, '1:00'],
  [3_723_000, '1:02:03'],
])('shows %d ms as %s', (ms, text) => {
  expect(toElapsed(ms)).toBe(text)
})

it('compares contenders on the problems that both tried', () => {
  const comparison = {
    first: 'react m',
    second: 'expert',
    problems: 20,
    onlyFirst: 1,
    onlySecond: 2,
    firstBetter: 1,
    secondBetter: 7,
    difference: -0.3,
    interval: { low: -0.55, high: 0.05 },
    p: 0.0703,
  }
  const unpaired = { ...comparison, problems: 0 }
  const lines = runTable({ ...SUMMARY, comparisons: [comparison, unpaired] }).split('\n')
  const start = lines.findIndex((line) => line.startsWith('PAIRED'))
  expect(lines.slice(start, start + 3)).toEqual([
    'PAIRED            PROBLEMS  DIFFERENCE  [95 %]  BETTER ON  P (SIGN TEST)  NOT PAIRED',
    'react m - expert  20        -30  [-55, +5]      1 : 7      0.070          3',
    'react m - expert  0         n/a                 1 : 7      n/a            3',
  ])
})

it('shows the writes to the API next to the steps', () => {
  const [contender] = SUMMARY.contenders
  const medians = { steps: 3, writes: 26 }
  const [, row] = runTable({ ...SUMMARY, contenders: [{ ...contender!, medians }] }).split('\n')
  expect(row).toContain('3 (26 writes)')
})
