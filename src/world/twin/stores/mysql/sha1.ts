/** SHA-1 for MySQL logins. Node's own module would cost every pod that uses MySQL 1.5 MB of memory. */

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
  for (let index = 0; index < 16; index++) words[index] = block.readInt32BE(index * 4)
  for (let index = 16; index < 80; index++)
    words[index] = rotate(words[index - 3]! ^ words[index - 8]! ^ words[index - 14]! ^ words[index - 16]!, 1)
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number]
  for (let index = 0; index < 80; index++) {
    const [mix, constant] = ROUNDS[Math.floor(index / 20)]!
    const next = (rotate(a, 5) + mix(b, c, d) + e + constant + words[index]!) | 0
    e = d
    d = c
    c = rotate(b, 30)
    b = a
    a = next
  }
  for (const [index, word] of [a, b, c, d, e].entries()) state[index] = (state[index]! + word) | 0
}

export const sha1 = (bytes: Buffer): Buffer => {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const padded = pad(bytes)
  for (let index = 0; index < padded.length; index += 64) mixBlock(state, padded.subarray(index, index + 64))
  const digest = Buffer.alloc(20)
  for (const [index, word] of state.entries()) digest.writeInt32BE(word, index * 4)
  return digest
}
