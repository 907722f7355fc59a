/** Tests of the memory of what was used last. */
import { expect, it } from 'vitest'
import { remember } from './remember.ts'

it('forgets what was not used for longest, and not what merely came first', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'a', 'c']) remember(map, key, 1, 2)
  expect([...map.keys()]).toEqual(['a', 'c'])
})
