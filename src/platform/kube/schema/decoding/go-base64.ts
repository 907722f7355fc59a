/** Validates and normalises base64 as Go does. Errors name the first invalid byte. */
import { DecodeFailure } from './decode-failure.ts'

const CANONICAL_UNPADDED = /^(?:[A-Za-z0-9+/]{4})*$/
const ALPHABET = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'))
const PAD = 0x3d
const isNewline = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d

/** Returns the position of the first invalid byte, or -1. */
const firstIllegal = (bytes: Uint8Array): number => {
  let filled = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (ALPHABET.has(byte)) filled = (filled + 1) % 4
    else if (isNewline(byte)) continue
    else if (byte !== PAD || filled < 2) return at
    else return firstIllegalAfterPadding(bytes, at + 1, filled)
  }
  return filled === 0 ? -1 : bytes.length - filled
}

const firstIllegalAfterPadding = (bytes: Uint8Array, start: number, filled: number): number => {
  let at = start
  const skipNewlines = (): void => {
    while (isNewline(bytes[at])) at++
  }
  if (filled === 2) {
    skipNewlines()
    if (at === bytes.length) return at
    if (bytes[at] !== PAD) return at - 1
    at++
  }
  skipNewlines()
  return at < bytes.length ? at : -1
}

/** Returns the text in canonical base64. */
export const readGoBase64 = (text: string): string => {
  if (CANONICAL_UNPADDED.test(text)) return text
  const position = firstIllegal(Buffer.from(text))
  if (position >= 0) throw new DecodeFailure(`illegal base64 data at input byte ${position}`)
  return Buffer.from(text, 'base64').toString('base64')
}
