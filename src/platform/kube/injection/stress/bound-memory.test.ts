/** Tests how memory stress is bounded. */
import { totalmem } from 'node:os'
import { expect, it } from 'vitest'
import { boundMemory } from './bound-memory.ts'

it.each([
  ['allocates the requested size if the machine has enough memory', 100, Number.POSITIVE_INFINITY, 1000, 100],
  ['divides the spare memory of the machine among the workers', 600, Number.POSITIVE_INFINITY, 1000, 500],
  ['divides the spare memory if the limit exceeds it', 600, 5000, 1000, 500],
  ['exceeds a limit below the spare memory, so that the kernel kills processes', 600, 300, 1000, 600],
])('%s', (_, bytes, limit, spare, expected) => {
  expect(boundMemory({ workers: 2, bytes }, limit, spare)).toBe(expected)
})

it('leaves a tenth of the memory of the machine free', () => {
  const bytes = boundMemory({ workers: 1, bytes: 2 ** 60 }, Number.POSITIVE_INFINITY)
  expect(bytes).toBeLessThanOrEqual(totalmem() * 0.9)
})
