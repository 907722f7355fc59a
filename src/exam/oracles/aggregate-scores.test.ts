/** Tests of scores over many episodes. */

import { expect, it } from 'vitest'
import { defined } from '#kit'
import type { Judgement, Verdict } from '#spec'
import { aggregateScores } from './aggregate-scores.ts'

const createVerdict = (
  oracle: Judgement['oracle'],
  holds: boolean,
  options: { rank?: number; damage?: number; outcome?: Verdict['outcome']; isSilent?: boolean } = {},
): Verdict => ({
  task: 'end-to-end',
  outcome: options.outcome ?? (holds ? 'resolved' : 'unresolved'),
  reason: '',
  damage: [],
  judgements: [{ oracle, holds, evidence: '' }],
  metrics: {
    steps: 0,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    journeyRuns: 0,
    journeyRunsFailed: 0,
    collateralDamage: options.damage ?? 0,
    ...defined({ rank: options.rank }),
    ...(options.isSilent === true ? {} : { timeToDetect: 1 }),
  },
})

it('scores detection by F1 and false alarms', () => {
  const judgedEpisodes = [
    ...[true, true, true, false].map((holds) => ({
      isFaulty: true,
      verdict: createVerdict('detection', holds),
    })),
    ...[true, true, true, false].map((holds) => ({
      isFaulty: false,
      verdict: createVerdict('detection', holds),
    })),
  ]
  expect(aggregateScores(judgedEpisodes)).toEqual({
    episodes: 8,
    voided: 0,
    resolvedShare: 0.75,
    damagePerEpisode: 0,
    detection: { precision: 0.75, recall: 0.75, f1: 0.75, falseAlarms: 0.25 },
  })
})

it('counts a missing answer as a missed fault, not as a false alarm', () => {
  const silent = [true, false].map((isFaulty) => ({
    isFaulty,
    verdict: createVerdict('detection', false, { isSilent: true }),
  }))
  expect(aggregateScores(silent).detection).toEqual({ precision: 0, recall: 0, f1: 0, falseAlarms: 0 })
})

it('omits scores that were not measured', () => {
  const faulty = { isFaulty: true, verdict: createVerdict('detection', true) }
  expect(aggregateScores([faulty]).detection).toEqual({ precision: 1, recall: 1, f1: 1 })
  const control = { isFaulty: false, verdict: createVerdict('detection', true) }
  expect(aggregateScores([control]).detection).toEqual({ falseAlarms: 0 })
})

it('scores localisation by the rank of the culprit', () => {
  const judgedEpisodes = [1, 2, 5, 0].map((rank) => ({
    isFaulty: true,
    verdict: createVerdict('localisation', rank === 1, { rank, damage: rank }),
  }))
  expect(aggregateScores(judgedEpisodes)).toMatchObject({
    top: { 1: 0.25, 3: 0.5, 5: 0.75 },
    damagePerEpisode: 2,
  })
})

it('scores analysis by exact matches, and ignores void episodes', () => {
  const judgedEpisodes = [
    { isFaulty: true, verdict: createVerdict('analysis', true) },
    { isFaulty: true, verdict: createVerdict('analysis', false) },
    { isFaulty: true, verdict: createVerdict('analysis', false, { outcome: 'void' }) },
  ]
  expect(aggregateScores(judgedEpisodes)).toMatchObject({ episodes: 2, voided: 1, exactMatch: 0.5 })
})
