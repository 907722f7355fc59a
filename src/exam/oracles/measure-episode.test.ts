/** Tests of the metrics of an episode. */

import { expect, it } from 'vitest'
import { defined } from '#kit'
import { JUDGING_RULES } from '#spec'
import { measureEpisode } from './measure-episode.ts'
import { podFault, prepareRecord, problem, SHOP } from './testing/record-builder.ts'
import { finish, judge } from './testing/trial.ts'
import { createEpisodeView } from './view/create-episode-view.ts'
import type { EpisodeFacts } from './view/episode-view.ts'

const EMPTY_FACTS = {
  injections: new Map(),
  runs: new Map(),
  solverStartedAt: 0,
  at: 9,
  answers: [],
  modelAnswers: [],
  steps: [],
}

const costOf = (
  costs: readonly (number | undefined)[],
  source: 'modelAnswers' | 'steps',
): number | undefined => {
  const tokens = { input: 10, output: 1 }
  const facts = {
    ...EMPTY_FACTS,
    [source]: costs.map((costUsd) => ({
      tokens,
      usage: tokens,
      ...defined({ costUsd }),
    })),
  }
  const { costUsd, tokens: counted } = measureEpisode(facts as unknown as EpisodeFacts, 0, undefined)
  expect(counted).toEqual({ input: 10 * costs.length, output: costs.length })
  return costUsd
}

it.each(['modelAnswers', 'steps'] as const)('reports a cost if the cost of all %s is known', (source) => {
  expect(costOf([0.5, 0.25], source)).toBe(0.75)
  expect(costOf([0.5, undefined], source)).toBeUndefined()
  expect(costOf([], source)).toBe(0)
})

it.each([
  [[], 0],
  [['answers'], 0],
  [['nothing', 'answers', 'pods', 'answers'], 2],
  [['objects'], 1],
])('counts steps of the reaches %j like the budget: without answers', (reaches, steps) => {
  const facts = { ...EMPTY_FACTS, steps: reaches.map((reach) => ({ reach })) }
  expect(measureEpisode(facts as unknown as EpisodeFacts, 0, undefined).steps).toBe(steps)
})

it('counts the tokens and the cost that an agent reports itself', () => {
  const measure = (...costs: readonly (number | undefined)[]) => {
    const record = prepareRecord().replacePod('cart')
    for (const costUsd of costs)
      record.after(1, {
        type: 'usage-reported',
        tokens: { input: 100, output: 7 },
        ...defined({ costUsd }),
      })
    return judge(finish(record).events).metrics
  }
  expect(measure(0.5, 0.25)).toMatchObject({ tokens: { input: 200, output: 14 }, costUsd: 0.75 })
  expect(measure(0.5, undefined)).toMatchObject({ tokens: { input: 200, output: 14 } })
  expect(measure(0.5, undefined).costUsd).toBeUndefined()
})

it('counts the writes of the solver from any client', () => {
  const record = prepareRecord(problem())
  const write = { verb: 'update', object: 'deployments/cart', code: 200, client: 'kubectl' } as const
  record.after(1, { type: 'write-audited', ...write }, { type: 'write-audited', ...write, count: 3 })
  const measure = (rules: number) => {
    const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
    for (const event of record.events)
      view.add(event.type === 'episode-started' ? { ...event, rules } : event)
    return measureEpisode(view, 0, undefined).writes
  }
  expect(measure(JUDGING_RULES)).toBe(4)
  // Records with older rules have no such metric.
  expect(measure(2)).toBeUndefined()
})
