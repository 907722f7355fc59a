/** `mysql_native_password`: how a client proves that it knows a password which neither side says. */
import { sha1 } from './sha1.ts'

export const NATIVE_PASSWORD = 'mysql_native_password'

/** Letters only: some clients end the text at a zero. */
export const makeChallenge = (): Buffer =>
  Buffer.from(Array.from({ length: 20 }, () => 33 + Math.floor(Math.random() * 90)))

const xor = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, at) => byte ^ other[at]!))

/** What a server keeps of a password, in hex; empty for none. */
export const toStoredPassword = (password: string): string =>
  password === '' ? '' : sha1(sha1(Buffer.from(password))).toString('hex')

/** What a client answers to a challenge. */
export const toProof = (password: string, challenge: Buffer): Buffer => {
  if (password === '') return Buffer.alloc(0)
  const once = sha1(Buffer.from(password))
  return xor(once, sha1(Buffer.concat([challenge, sha1(once)])))
}

export const isProven = (proof: Buffer, challenge: Buffer, stored: string): boolean => {
  if (stored === '') return proof.length === 0
  if (proof.length !== 20) return false
  const twice = Buffer.from(stored, 'hex')
  return sha1(xor(proof, sha1(Buffer.concat([challenge, twice])))).equals(twice)
}
