/** Tests the bounds of rewards, the terms, and the parsing of their options. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpisodeEvent, NO_METRICS, type Verdict } from '#spec'
import { combineTerms, MAX_SHARE } from './combine-terms.ts'
import { computeReward } from './compute-reward.ts'
import { parseReward } from './parse-reward.ts'
import { type JudgedAttempt, REWARD_TERM_NAMES } from './reward-terms.ts'

const anyNumber = fc.oneof(fc.double({ noNaN: false }), fc.double({ min: 0, max: 1, noNaN: true }))
const anyValues = fc.record(Object.fromEntries(REWARD_TERM_NAMES.map((term) => [term, anyNumber])), {
  requiredKeys: [],
})
const anyOptions = fc.record({
  share: fc.double({ min: Number.MIN_VALUE, max: MAX_SHARE, noNaN: true }),
  weights: fc.record(
    Object.fromEntries(
      REWARD_TERM_NAMES.map((term) => [term, fc.double({ min: 0, max: 1000, noNaN: true })]),
    ),
    { requiredKeys: [] },
  ),
})

it('never gives an unresolved attempt as much as a resolved one, for any terms and weights', () => {
  fc.assert(
    fc.property(anyValues, anyValues, anyOptions, (won, lost, options) => {
      const resolved = combineTerms(true, won, options)
      const unresolved = combineTerms(false, lost, options)
      expect(resolved).toBeLessThanOrEqual(1)
      expect(unresolved).toBeGreaterThanOrEqual(0)
      expect(resolved).toBeGreaterThan(unresolved)
    }),
  )
})

const toVerdict = (overrides: Partial<Verdict> = {}): Verdict => ({
  task: 'mitigation',
  outcome: 'unresolved',
  reason: '',
  judgements: [
    { oracle: 'users-served', holds: true, evidence: '' },
    { oracle: 'cause-gone', holds: false, evidence: '' },
  ],
  damage: [],
  metrics: { ...NO_METRICS, steps: 5, journeyRuns: 10, journeyRunsFailed: 4, collateralDamage: 1 },
  ...overrides,
})

const toAttempt = (verdict: Verdict, ...middle: object[]): JudgedAttempt => ({
  problem: { budget: { steps: 10, seconds: 100 } },
  verdict,
  events: [
    { at: 1000, type: 'solver-started' },
    ...middle,
    { at: 26_000, type: 'solver-ended', outcome: 'submitted' },
  ] as EpisodeEvent[],
})

const VETTED = { at: 2000, type: 'playbook-vetted', findings: [], isRefused: false }

describe('the reward of an attempt', () => {
  it('is 1 or 0 by default', () => {
    const options = parseReward('')
    expect(computeReward(toAttempt(toVerdict()), options).value).toBe(0)
    expect(computeReward(toAttempt(toVerdict({ outcome: 'resolved' })), options).value).toBe(1)
  })

  it('has a value for each term that applies', () => {
    const { terms } = computeReward(toAttempt(toVerdict({ outcome: 'resolved' }), VETTED), parseReward(''))
    expect(terms).toEqual({
      'valid-playbook': 1,
      'users-recovered': 1,
      'cause-gone': 0,
      damage: 0.5,
      'requests-lost': 0.6,
      steps: 0.5,
      time: 0.75,
    })
  })

  it('counts only the chosen terms, by weight', () => {
    const { value } = computeReward(toAttempt(toVerdict()), parseReward('users-recovered=3,cause-gone', 0.4))
    expect(value).toBeCloseTo(0.4 * 0.75)
  })

  it('does not pay an unresolved attempt for speed, nor for a refused playbook', () => {
    const refused = { ...VETTED, isRefused: true }
    const { terms } = computeReward(toAttempt(toVerdict(), refused), parseReward(''))
    expect(terms).toMatchObject({ 'valid-playbook': 0, steps: 0, time: 0 })
  })

  it('leaves out the terms of a repair in tasks without one', () => {
    const verdict = toVerdict({ judgements: [{ oracle: 'detection', holds: true, evidence: '' }] })
    const { terms } = computeReward(toAttempt(verdict), parseReward(''))
    expect(Object.keys(terms)).toEqual(['damage', 'requests-lost', 'steps', 'time'])
  })

  it('does not exist for a void attempt', () => {
    const reward = computeReward(toAttempt(toVerdict({ outcome: 'void' })), parseReward('damage'))
    expect(reward).toEqual({ value: null, terms: {} })
  })
})

it.each([
  ['users-recoverd', 'no reward term "users-recoverd"'],
  ['damage=x', 'weight of the reward term damage'],
  ['damage=-1', 'weight of the reward term damage'],
  ['damage=', 'weight of the reward term damage'],
])('rejects the terms %s', (text, message) => {
  expect(() => parseReward(text)).toThrow(message)
})

it.each([0, 0.5, 1, Number.NaN])('rejects the share %s', (share) => {
  expect(() => parseReward('damage', share)).toThrow('share of the reward terms')
})
