/**
 * The authentication method `mysql_native_password`: the client proves that it knows the password without
 * sending it.
 */
import type { ProgramRandom } from '#spec'
import { sha1 } from './sha1.ts'

export const NATIVE_PASSWORD = 'mysql_native_password'

/** Printable characters only: some clients end the challenge at a zero byte. */
export const createChallenge = (random: ProgramRandom): Buffer =>
  Buffer.from(Array.from({ length: 20 }, () => 33 + Math.floor(random.next() * 90)))

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, index) => byte ^ b[index]!))

/** Returns the stored form of a password in hex; empty for no password. */
export const toStoredPassword = (password: string): string =>
  password === '' ? '' : sha1(sha1(Buffer.from(password))).toString('hex')

/** The client's response to a challenge. */
export const toProof = (password: string, challenge: Buffer): Buffer => {
  if (password === '') return Buffer.alloc(0)
  const hashedOnce = sha1(Buffer.from(password))
  return xor(hashedOnce, sha1(Buffer.concat([challenge, sha1(hashedOnce)])))
}

export const isProofValid = (proof: Buffer, challenge: Buffer, stored: string): boolean => {
  if (stored === '') return proof.length === 0
  if (proof.length !== 20) return false
  const hashedTwice = Buffer.from(stored, 'hex')
  return sha1(xor(proof, sha1(Buffer.concat([challenge, hashedTwice])))).equals(hashedTwice)
}
