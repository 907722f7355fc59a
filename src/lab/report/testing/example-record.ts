/** An example episode for tests. */
import type { EpisodeEvent, EpisodeResult, Problem, Verdict } from '#spec'

export const exampleProblem = (changes: Partial<Problem> = {}): Problem => ({
  id: 'shop.port-wrong.cart.remediation.1',
  system: 'shop',
  task: 'remediation',
  report: 'label',
  faults: [
    { fault: 'port-wrong', target: { service: 'cart' }, params: { port: 81 }, shape: { kind: 'sudden' } },
  ],
  budget: { steps: 20, seconds: 900 },
  seed: 's',
  ...changes,
})

export const exampleResult = (changes: Partial<EpisodeResult> = {}): EpisodeResult => ({
  episode: 'e1',
  problem: 'shop.port-wrong.cart.remediation.1',
  system: 'shop',
  task: 'remediation',
  faults: ['port-wrong'],
  categories: ['pod-config-error'],
  suite: 'easy',
  contender: 'expert',
  epoch: 1,
  outcome: 'resolved',
  reason: 'all is well',
  judged: { 'users-served': true, 'cause-gone': true },
  metrics: {
    timeToMitigate: 4000,
    steps: 3,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    collateralDamage: 0,
    journeyRunsFailed: 10,
    journeyRuns: 40,
  },
  stages: { inject: 700 },
  tries: 1,
  ended: 1_794_755_690_000,
  ...changes,
})

export const exampleVerdict = (changes: Partial<Verdict> = {}): Verdict => ({
  task: 'remediation',
  outcome: 'resolved',
  reason: 'all is well',
  damage: [],
  judgements: [{ oracle: 'users-served', holds: true, evidence: '40 of 40 runs' }],
  metrics: exampleResult().metrics,
  ...changes,
})

export const exampleRecord = (more: readonly EpisodeEvent[] = []): EpisodeEvent[] =>
  [
    {
      at: 0.5,
      type: 'episode-started',
      schema: 2,
      time: 1_000_000.5,
      problem: exampleProblem(),
      solver: 'expert',
      engine: 'local',
      load: { loop: 'open', arrivals: { kind: 'constant', rate: 5 } },
    } as EpisodeEvent,
    {
      at: 100,
      type: 'baseline-taken',
      alerts: [],
      journeys: [{ journey: 'buy', runs: 20, failures: 0, p50: 50, p95: 90 }],
    } as EpisodeEvent,
    { at: 400, type: 'journeys-run', runs: [['buy', 300, 40]] } as EpisodeEvent,
    {
      at: 1000,
      type: 'fault-injected',
      index: 0,
      fault: 'port-wrong',
      target: { service: 'cart' },
      params: { port: 81 },
      shape: { kind: 'sudden' },
      state: {},
    } as EpisodeEvent,
    { at: 1600, type: 'journeys-run', runs: [['buy', 1500, 300, 'pay']] } as EpisodeEvent,
    { at: 2000, type: 'report-given', kind: 'label', text: 'root cause: cart' } as EpisodeEvent,
    { at: 2000, type: 'solver-started' } as EpisodeEvent,
    ...more,
    { at: 6000, type: 'solver-ended', outcome: 'submitted' } as EpisodeEvent,
    { at: 8000, type: 'verdict-given', verdict: exampleVerdict() } as EpisodeEvent,
  ].sort((a, b) => a.at - b.at)
