/** Seeded randomness: the same seed yields the same names, identities and choices. */

export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** A whole number in [0, bound). */
  below(bound: number): number
  /** A version-4 UUID. */
  uuid(): string
  /** A suffix for generated names, from the alphabet Kubernetes uses for them. */
  suffix(length: number): string
  /** An independent generator derived from the same seed: drawing from it does not affect this one. */
  fork(name: string): Random
}

const SAFE_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789'
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Small fast counter generator (sfc32), seeded from a string or number. */
export const createRandom = (seed: number | string): Random => {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  const draw = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (const character of String(seed)) {
    a = (a ^ character.codePointAt(0)!) | 0
    draw()
  }
  for (let round = 0; round < 12; round += 1) draw()

  const below = (bound: number): number => Math.floor((draw() / 2 ** 32) * bound)
  return {
    next: () => draw() / 2 ** 32,
    below,
    uuid() {
      const bytes: string[] = []
      for (let word = 0; word < 4; word += 1) {
        const value = draw()
        for (const shift of [24, 16, 8, 0]) {
          let byte = (value >>> shift) & 0xff
          if (bytes.length === 6) byte = (byte & 0x0f) | 0x40
          if (bytes.length === 8) byte = (byte & 0x3f) | 0x80
          bytes.push(HEX[byte]!)
        }
      }
      const hexOf = (from: number, to: number): string => bytes.slice(from, to).join('')
      return `${hexOf(0, 4)}-${hexOf(4, 6)}-${hexOf(6, 8)}-${hexOf(8, 10)}-${hexOf(10, 16)}`
    },
    fork: (name) => createRandom(`${seed}/${name}`),
    suffix: (length) => Array.from({ length }, () => SAFE_CHARACTERS[below(SAFE_CHARACTERS.length)]).join(''),
  }
}
