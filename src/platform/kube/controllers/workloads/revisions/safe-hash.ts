/** The short hash in names of ReplicaSets and revisions: FNV-1a over canonical JSON, in characters that form no words. */
import { toCanonicalJson } from './to-canonical-json.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

const fnv1a = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Encodes each digit of the decimal hash as one character, as Kubernetes does; `collisions` salts the hash. */
export const safeHash = (value: unknown, collisions: number | undefined): string => {
  const text = collisions === undefined ? toCanonicalJson(value) : `${toCanonicalJson(value)}#${collisions}`
  const digits = String(fnv1a(new TextEncoder().encode(text)))
  return Array.from(digits, (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('')
}
