/** Tests of the figures of an episode. */
import { expect, it } from 'vitest'
import type { EpisodeFacts } from './episode-view.ts'
import { measureEpisode } from './measure-episode.ts'

const BARE = {
  injections: new Map(),
  walks: new Map(),
  began: 0,
  at: 9,
  answers: [],
  modelAnswers: [],
  steps: [],
}

const costOf = (costs: readonly (number | undefined)[], of: 'modelAnswers' | 'steps'): number | undefined => {
  const tokens = { input: 10, output: 1 }
  const facts = {
    ...BARE,
    [of]: costs.map((costUsd) => ({
      tokens,
      usage: tokens,
      ...(costUsd === undefined ? {} : { costUsd }),
    })),
  }
  const { costUsd, tokens: counted } = measureEpisode(facts as unknown as EpisodeFacts, 0, undefined)
  expect(counted).toEqual({ input: 10 * costs.length, output: costs.length })
  return costUsd
}

it.each(['modelAnswers', 'steps'] as const)('has a cost where that of all %s is known', (of) => {
  expect(costOf([0.5, 0.25], of)).toBe(0.75)
  expect(costOf([0.5, undefined], of)).toBeUndefined()
  expect(costOf([], of)).toBe(0)
})

it.each([
  [[], 0],
  [['submit'], 0],
  [['get_alerts', 'submit', 'run_playbook', 'submit'], 2],
  [['run-playbook'], 1],
])('counts the steps of %j as the budget does, which has none for submit', (actions, steps) => {
  const facts = { ...BARE, steps: actions.map((action) => ({ action })) }
  expect(measureEpisode(facts as unknown as EpisodeFacts, 0, undefined).steps).toBe(steps)
})
