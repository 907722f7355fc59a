/** Example records for tests. */
import type { EpisodeEvent, ModelAnswer } from '#spec'
import { EPISODE_SCHEMA } from '#spec'
import { exampleProblem, exampleResult } from './example-run.ts'

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never

const PROBLEM = exampleProblem('a', {
  faults: [{ fault: 'cpu-stress', target: { service: 'cart' }, params: {}, shape: { kind: 'sudden' } }],
})

export const exampleAnswer = (overrides: Partial<ModelAnswer> = {}): ModelAnswer => ({
  text: '',
  toolCalls: [],
  usage: { input: 100, output: 20 },
  finish: 'stop',
  tries: 1,
  milliseconds: 500,
  ...overrides,
})

/** Puts the events between the start of the solver and its end; events are 1000 ms apart. */
export const exampleRecord = (...middle: Unstamped<EpisodeEvent>[]): EpisodeEvent[] => {
  const all: Unstamped<EpisodeEvent>[] = [
    {
      type: 'episode-started',
      schema: EPISODE_SCHEMA,
      time: Date.UTC(2026, 0, 1),
      problem: PROBLEM,
      solver: 'expert',
      engine: 'local',
      load: { rate: 1 } as never,
    },
    { type: 'baseline-taken', journeys: [], alerts: [] },
    {
      type: 'fault-injected',
      index: 0,
      fault: 'cpu-stress',
      target: { service: 'cart' },
      params: {},
      shape: { kind: 'sudden' },
      state: {},
    },
    { type: 'report-given', kind: 'label', text: 'cart suffers' },
    { type: 'solver-started' },
    ...middle,
    { type: 'solver-ended', outcome: 'submitted' },
    {
      type: 'verdict-given',
      verdict: {
        task: 'mitigation',
        outcome: 'resolved',
        reason: 'well',
        damage: [],
        judgements: [{ oracle: 'users-served', holds: true, evidence: 'e' }],
        metrics: exampleResult('a').metrics,
      },
    },
  ]
  return all.map((event, index) => ({ at: index * 1000, ...event }) as EpisodeEvent)
}
