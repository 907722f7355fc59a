/** Tests of secrets. */
import { expect, it } from 'vitest'
import { deriveSecret, drawSecret } from './secret.ts'

it('draws another secret each time', () => {
  expect(new Set(Array.from({ length: 100 }, drawSecret)).size).toBe(100)
})

it('derives the same secret for the same purpose, and another one for every other', () => {
  expect(deriveSecret('s', 'order')).toBe(deriveSecret('s', 'order'))
  const derived = [
    ...[
      deriveSecret('s'),
      deriveSecret('s', 'order'),
      deriveSecret('s', 'names'),
      deriveSecret('t', 'order'),
    ],
    ...[deriveSecret('s', 'a', 'b'), deriveSecret('s', 'ab'), deriveSecret('s', 'a', 'b', '')],
  ]
  expect(new Set(derived).size).toBe(derived.length)
  for (const one of derived) expect(one).toMatch(/^[0-9a-f]{32}$/)
})
