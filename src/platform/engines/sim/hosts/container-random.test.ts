/** Tests the random numbers of a simulated container. */
import { expect, it } from 'vitest'
import { createRandom } from '#kit'
import { createContainerRandom } from './container-random.ts'

it('yields the same numbers and bytes for the same seed', () => {
  const [random, same, other] = ['a', 'a', 'b'].map((seed) => createContainerRandom(createRandom(seed)))
  expect(random!.bytes(33)).toEqual(same!.bytes(33))
  expect(random!.next()).toBe(same!.next())
  expect(random!.bytes(16)).not.toEqual(other!.bytes(16))
})

it('yields all bytes with about the same frequency', () => {
  const counts = new Map<number, number>()
  for (const byte of createContainerRandom(createRandom(1)).bytes(100_000))
    counts.set(byte, (counts.get(byte) ?? 0) + 1)
  expect(counts.size).toBe(256)
  // The expected count is 390, with a standard deviation of 20.
  expect(Math.min(...counts.values())).toBeGreaterThan(290)
  expect(Math.max(...counts.values())).toBeLessThan(490)
})
