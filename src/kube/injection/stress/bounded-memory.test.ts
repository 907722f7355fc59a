/** How much of the machine's memory stress may take. */
import { totalmem } from 'node:os'
import { expect, it } from 'vitest'
import { boundMemory } from './bounded-memory.ts'

it.each([
  ['is what was asked for where the machine has it', 100, Number.POSITIVE_INFINITY, 1000, 100],
  ['is what the machine can spare for all workers together', 600, Number.POSITIVE_INFINITY, 1000, 500],
  ['is so, too, where the limit is beyond the machine', 600, 5000, 1000, 500],
  ['goes past a limit that the machine can give, so that the kernel kills for it', 600, 300, 1000, 600],
])('%s', (_, bytes, limit, spare, taken) => {
  expect(boundMemory({ workers: 2, bytes }, limit, spare)).toBe(taken)
})

it('leaves some of this machine', () => {
  const taken = boundMemory({ workers: 1, bytes: 2 ** 60 }, Number.POSITIVE_INFINITY)
  expect(taken).toBeLessThanOrEqual(totalmem() * 0.9)
})
