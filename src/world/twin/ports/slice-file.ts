/**
 * The file that holds the slice of a service in its image. It is obfuscated, so that an agent that reads it
 * can read no more than from a compiled program.
 */
import type { ServiceSlice } from '#spec'

/** Several slices if services share an image. */
export type ImageContent = ServiceSlice | readonly ServiceSlice[]

const WORD_BYTES = 4

/**
 * XORs all words after the first, which is the initial state, with a keystream. A second call restores the
 * words. This is not encryption: the file contains the key.
 */
const applyKeystream = (words: Int32Array): void => {
  let state = words[0]!
  for (let index = 1; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index]! ^= state
  }
}

const mix = (sum: number, word: number): number => Math.imul(sum ^ word, 16_777_619)

/**
 * Never 0, which would generate only zeros. Depends on the content, so that files cannot be compared, and on
 * the salt, so that a file cannot be recognised without the salt.
 */
const toInitialState = (words: Int32Array, salt: string): number =>
  words.reduce(
    mix,
    [...salt].reduce((sum, character) => mix(sum, character.codePointAt(0)!), 1),
  ) | 1

const pack = (text: Buffer, length: number, salt: string): Uint8Array => {
  const words = new Int32Array(length)
  // Pads with spaces, which JSON allows at the end.
  const bytes = new Uint8Array(words.buffer).fill(0x20)
  bytes.set(text, WORD_BYTES)
  words[0] = toInitialState(words, salt)
  applyKeystream(words)
  return bytes
}

const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const slicesOf = (content: ImageContent): readonly ServiceSlice[] =>
  'service' in content ? [content] : content

/** A size that fits every release. It identifies none: it does not depend on which release has which tag. */
const contentBytes = (releases: readonly ImageContent[]): number => {
  const lists = releases.map(slicesOf)
  const positions = Math.max(...lists.map((slices) => slices.length))
  const tagBytes = Math.max(0, ...lists.flat().map(({ release }) => toBytes(release).length))
  const sizes = Array.from({ length: positions }, (_, position) =>
    Math.max(
      ...lists.map((slices) => {
        const slice = slices[position]
        return slice === undefined ? 0 : toBytes({ ...slice, release: '' }).length
      }),
    ),
  )
  // A comma or a bracket follows each slice.
  return sizes.reduce((sum, size) => sum + size + tagBytes + 1, 2)
}

/**
 * Packs each release of an image into a file. All files have the same size, because the size would reveal a
 * defect. A different salt gives different files.
 */
export const packReleases = (releases: readonly ImageContent[], salt = ''): Uint8Array[] => {
  const length = 1 + Math.ceil(contentBytes(releases) / WORD_BYTES)
  return releases.map((content) => pack(toBytes(content), length, salt))
}

/** Throws if the file is invalid. */
export const unpackRelease = (file: Uint8Array): ImageContent => {
  const words = new Int32Array(Math.ceil(file.length / WORD_BYTES))
  const bytes = Buffer.from(words.buffer)
  bytes.set(file)
  applyKeystream(words)
  return JSON.parse(bytes.toString('utf8', WORD_BYTES))
}
