/** Tests how the problem and the seed of an episode are chosen. */
import { expect, it } from 'vitest'
import { exampleProblem } from '#lab/testing'
import { chooseStart } from './choose-start.ts'

const problems = new Map(['a', 'b'].map((id) => [id, exampleProblem(id)]))

it('draws the problem from the seed', () => {
  const draw = (seed: number): string => chooseStart(problems, { seed }).problem.id
  const drawn = [1, 2, 3, 4, 5, 6, 7, 8].map(draw)
  expect([...new Set(drawn)].sort()).toEqual(['a', 'b'])
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(draw)).toEqual(drawn)
})

it('draws a seed if none is given', () => {
  const seeds = [chooseStart(problems, {}).seed, chooseStart(problems, {}).seed]
  expect(new Set(seeds).size).toBe(2)
})
