/** Tests how many slots systems of different sizes take. */
import { expect, it } from 'vitest'
import { slotsOf } from './slots-of.ts'

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
])('with %i workers on %i cores, a medium system takes %d slots and the largest %d', async (...row) => {
  const [workers, cores, medium, largest] = row
  const slots = await slotsOf(SYSTEMS, workers, { cores })
  expect(SYSTEMS.map(slots)).toEqual([1, medium, medium, largest, 1])
})

it('gives each simulated system one slot', async () => {
  const slots = await slotsOf(SYSTEMS, 4, { engine: 'sim', cores: 4 })
  expect(SYSTEMS.map(slots)).toEqual([1, 1, 1, 1, 1])
})
