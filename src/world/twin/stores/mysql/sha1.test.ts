/** Tests SHA-1 and the password proof. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isProofValid, toProof, toStoredPassword } from './native-password.ts'
import { sha1 } from './sha1.ts'

test('returns the same hashes as Node for inputs of every length', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length) & 0xff))
    expect(sha1(bytes).toString('hex')).toBe(createHash('sha1').update(bytes).digest('hex'))
  }
})

test('accepts a proof only for its password and challenge', () => {
  const challenge = Buffer.from('12345678901234567890')
  const stored = toStoredPassword('secret')
  expect(isProofValid(toProof('secret', challenge), challenge, stored)).toBe(true)
  expect(isProofValid(toProof('other', challenge), challenge, stored)).toBe(false)
  expect(isProofValid(toProof('secret', Buffer.from('x'.repeat(20))), challenge, stored)).toBe(false)
  expect(isProofValid(Buffer.alloc(0), challenge, stored)).toBe(false)
  expect(isProofValid(Buffer.alloc(0), challenge, '')).toBe(true)
})
