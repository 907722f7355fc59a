/** Tests that drawn secrets differ, and that derived secrets depend only on secret and purpose. */
import { expect, it } from 'vitest'
import { deriveSecret, drawSecret } from './secret.ts'

it('draws a different secret each time', () => {
  expect(new Set(Array.from({ length: 100 }, drawSecret)).size).toBe(100)
})

it('derives the same secret for the same purpose, and different secrets for different purposes', () => {
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
  for (const secret of derived) expect(secret).toMatch(/^[0-9a-f]{32}$/)
})
