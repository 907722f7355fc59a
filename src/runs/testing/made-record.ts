/** Records as tests of what is derived from them want them. */
import type { EpisodeEvent, ModelAnswer } from '../../spec/index.ts'
import { EPISODE_SCHEMA } from '../../spec/index.ts'
import { madeProblem, madeResult } from './made-run.ts'

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never

const PROBLEM = madeProblem('a', {
  faults: [{ fault: 'cpu-stress', target: { service: 'cart' }, params: {}, shape: { kind: 'sudden' } }],
})

export const madeAnswer = (over: Partial<ModelAnswer> = {}): ModelAnswer => ({
  text: '',
  toolCalls: [],
  usage: { input: 100, output: 20 },
  finish: 'stop',
  tries: 1,
  milliseconds: 500,
  ...over,
})

/** One event each 1000 ms, between the beginning and the verdict. */
export const madeRecord = (...middle: Unstamped<EpisodeEvent>[]): EpisodeEvent[] => {
  const all: Unstamped<EpisodeEvent>[] = [
    {
      type: 'episode-began',
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
    { type: 'solver-began' },
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
        metrics: madeResult('a').metrics,
      },
    },
  ]
  return all.map((event, index) => ({ at: index * 1000, ...event }) as EpisodeEvent)
}
