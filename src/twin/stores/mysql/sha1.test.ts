import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isProven, toProof, toStoredPassword } from './native-password.ts'
import { sha1 } from './sha1.ts'

test('hashes of every length are those of Node', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 37 + length) & 0xff))
    expect(sha1(bytes).toString('hex')).toBe(createHash('sha1').update(bytes).digest('hex'))
  }
})

test('a proof is good for its password and its challenge only', () => {
  const challenge = Buffer.from('12345678901234567890')
  const stored = toStoredPassword('secret')
  expect(isProven(toProof('secret', challenge), challenge, stored)).toBe(true)
  expect(isProven(toProof('other', challenge), challenge, stored)).toBe(false)
  expect(isProven(toProof('secret', Buffer.from('x'.repeat(20))), challenge, stored)).toBe(false)
  expect(isProven(Buffer.alloc(0), challenge, stored)).toBe(false)
  expect(isProven(Buffer.alloc(0), challenge, '')).toBe(true)
})
