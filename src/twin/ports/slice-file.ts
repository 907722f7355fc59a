/** How a service's part of the topology lies in its image: in a form that says no more to readers than a compiled program. */
import type { ServiceSlice } from '../../spec/index.ts'

/** More than one where services share an image. */
export type ImageContent = ServiceSlice | readonly ServiceSlice[]

const WORD = 4

/** Over all but the first word, from which it begins; done twice it gives what there was. No secret: the program tells it. */
const mix = (words: Int32Array): void => {
  let state = words[0]!
  for (let at = 1; at < words.length; at += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[at]! ^= state
  }
}

/** Never 0, of which nothing else would come. Other content begins elsewhere, so that no two files can be compared. */
const beginning = (words: Int32Array): number =>
  words.reduce((sum, word) => Math.imul(sum ^ word, 16_777_619), 1) | 1

const pack = (text: Buffer, length: number): Uint8Array => {
  const words = new Int32Array(length)
  // JSON may end in spaces.
  const bytes = new Uint8Array(words.buffer).fill(0x20)
  bytes.set(text, WORD)
  words[0] = beginning(words)
  mix(words)
  return bytes
}

/** The releases of one image, each as a file; all of the same size, which would else tell what is wrong with one. */
export const packReleases = (releases: readonly ImageContent[]): Uint8Array[] => {
  const texts = releases.map((content) => Buffer.from(JSON.stringify(content)))
  const length = 1 + Math.ceil(Math.max(...texts.map((text) => text.length)) / WORD)
  return texts.map((text) => pack(text, length))
}

/** Throws where that is no such file. */
export const unpackRelease = (file: Uint8Array): ImageContent => {
  const words = new Int32Array(Math.ceil(file.length / WORD))
  const bytes = Buffer.from(words.buffer)
  bytes.set(file)
  mix(words)
  return JSON.parse(bytes.toString('utf8', WORD))
}
