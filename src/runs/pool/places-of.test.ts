/** Tests of how much room systems take beside others. */
import { expect, it } from 'vitest'
import { placesOf } from './places-of.ts'

const SYSTEMS = ['simple-micro', 'train-ticket', 'social-network', 'unheard-of']

it.each([
  [1, 1, 1],
  [1, 2, 1],
  [2, 2, 2],
  [3, 2, 3],
  [2, 1, 2],
  [8, 8, 2],
  [3, 8, 1],
])('of %i workers on %i cores the largest takes the places of %i', async (workers, cores, places) => {
  const of = await placesOf(SYSTEMS, workers, cores)
  expect(SYSTEMS.map(of)).toEqual([1, places, 1, 1])
})
