/** Tests of which systems not every worker may play on at once. */
import { expect, it } from 'vitest'
import { lanesAt } from './lanes-at.ts'

const SYSTEMS = ['simple-micro', 'train-ticket', 'social-network', 'unheard-of']

it.each([
  [1, 1],
  [2, 1],
  [8, 4],
])('on %i cores %i may play on the largest, and all on the others', async (cores, most) => {
  const at = await lanesAt(SYSTEMS, cores)
  expect(SYSTEMS.map(at)).toEqual([
    Number.POSITIVE_INFINITY,
    most,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ])
})
