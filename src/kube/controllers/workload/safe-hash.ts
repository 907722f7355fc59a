/** The short hash in names of ReplicaSets and revisions: FNV-1a over a stable text, in letters that spell nothing. */

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

/** JSON whose text does not depend on the order of keys. */
const stableText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${stableText(member)}`).join(',')}}`
}

const fnv1a = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Each digit of the decimal hash becomes a letter, as Kubernetes does it; `collisions` makes another one of it. */
export const safeHash = (value: unknown, collisions: number | undefined): string => {
  const text = collisions === undefined ? stableText(value) : `${stableText(value)}#${collisions}`
  const digits = String(fnv1a(new TextEncoder().encode(text)))
  return Array.from(digits, (digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length]).join('')
}
