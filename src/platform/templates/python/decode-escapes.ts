/** The escapes of Python's string literals. */
import { UnsupportedTemplate } from '../template-error.ts'

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/gu

/** An escape that is not complete or names no character; Python raises a SyntaxError. */
export class EscapeError extends Error {}

const decodeCode = (code: number): string => {
  if (code > 0x10ffff) throw new EscapeError('illegal Unicode character')
  if (code >= 0xd800 && code <= 0xdfff) throw new UnsupportedTemplate('text with unpaired surrogates')
  return String.fromCodePoint(code)
}

const decodeLetter = (all: string, letter: string): string => {
  if (letter === 'x') throw new EscapeError(String.raw`truncated \xXX escape`)
  if (letter === 'u') throw new EscapeError(String.raw`truncated \uXXXX escape`)
  if (letter === 'U') throw new EscapeError(String.raw`truncated \UXXXXXXXX escape`)
  if (letter === 'N') throw new UnsupportedTemplate('characters by name')
  return NAMED[letter] ?? all
}

/** Leaves unknown escapes unchanged. Throws EscapeError. */
export const decodeEscapes = (text: string): string => {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPE, (all, octal, byte, short, long, letter) => {
    if (letter !== undefined) return decodeLetter(all, letter)
    return decodeCode(
      octal === undefined ? Number.parseInt(byte ?? short ?? long, 16) : Number.parseInt(octal, 8),
    )
  })
}
