/** Tests of how much room systems take beside others. */
import { expect, it } from 'vitest'
import { placesOf } from './places-of.ts'

const SYSTEMS = ['simple-micro', 'online-boutique', 'social-network', 'train-ticket', 'unheard-of']

it.each([
  [1, 1, 1, 1],
  [1, 2, 1, 1],
  [2, 2, 1, 2],
  [3, 2, 1.5, 3],
  [4, 2, 2, 4],
  [2, 1, 2, 2],
  [8, 8, 1, 2],
  [3, 8, 1, 1],
])('of %i workers on %i cores a middling one takes the places of %d, the largest of %d', async (...row) => {
  const [workers, cores, middling, most] = row
  const of = await placesOf(SYSTEMS, workers, cores)
  expect(SYSTEMS.map(of)).toEqual([1, middling, middling, most, 1])
})
