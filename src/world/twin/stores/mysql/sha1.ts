/** SHA-1 for MySQL logins. The module of Node would cost every pod 1.5 MB. */

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

const pad = (bytes: Buffer): Buffer => {
  const padded = Buffer.alloc(Math.ceil((bytes.length + 9) / 64) * 64)
  bytes.copy(padded)
  padded[bytes.length] = 0x80
  padded.writeUInt32BE(bytes.length * 8, padded.length - 4)
  return padded
}

/** The function and constant of each of the four rounds of twenty steps. */
const ROUNDS: readonly (readonly [(b: number, c: number, d: number) => number, number])[] = [
  [(b, c, d) => (b & c) | (~b & d), 0x5a827999],
  [(b, c, d) => b ^ c ^ d, 0x6ed9eba1],
  [(b, c, d) => (b & c) | (b & d) | (c & d), 0x8f1bbcdc],
  [(b, c, d) => b ^ c ^ d, 0xca62c1d6],
]

const mixBlock = (state: Int32Array, block: Buffer): void => {
  const words = new Int32Array(80)
  for (let at = 0; at < 16; at++) words[at] = block.readInt32BE(at * 4)
  for (let at = 16; at < 80; at++)
    words[at] = rotate(words[at - 3]! ^ words[at - 8]! ^ words[at - 14]! ^ words[at - 16]!, 1)
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number]
  for (let at = 0; at < 80; at++) {
    const [mix, constant] = ROUNDS[Math.floor(at / 20)]!
    const next = (rotate(a, 5) + mix(b, c, d) + e + constant + words[at]!) | 0
    e = d
    d = c
    c = rotate(b, 30)
    b = a
    a = next
  }
  for (const [at, word] of [a, b, c, d, e].entries()) state[at] = (state[at]! + word) | 0
}

export const sha1 = (bytes: Buffer): Buffer => {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const padded = pad(bytes)
  for (let at = 0; at < padded.length; at += 64) mixBlock(state, padded.subarray(at, at + 64))
  const digest = Buffer.alloc(20)
  for (const [at, word] of state.entries()) digest.writeInt32BE(word, at * 4)
  return digest
}
