/** Tests of setLru. */
import { expect, it } from 'vitest'
import { setLru } from './set-lru.ts'

it('evicts the least recently used entry', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'a', 'c']) setLru(map, key, 1, 2)
  expect([...map.keys()]).toEqual(['a', 'c'])
})
