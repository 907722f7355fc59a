/** Reads the escapes of a regular expression that stand for one character. */
import { UnsupportedTemplate } from '../template-error.ts'
import type { PatternReader } from './pattern-reader.ts'
import { regexError } from './regex-error.ts'

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
}

/** A number in an escape: `\x41`, `\u0041`, `\101`; undefined for other escapes. */
export const readNumericEscape = (reader: PatternReader, isInClass: boolean): number | undefined => {
  const { rest } = reader
  const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest)
  const octal = isInClass ? /^[0-7]{1,3}/.exec(rest) : /^(?:0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest)
  const match = hex ?? octal
  if (match === null) return undefined
  reader.position += match[0].length
  const code =
    hex === null ? Number.parseInt(match[0], 8) : Number.parseInt((hex[1] ?? hex[2] ?? hex[3])!, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new UnsupportedTemplate('this escape in a regular expression')
  if (hex === null && code > 0o377)
    throw regexError(`octal escape value \\${match[0]} outside of range 0-0o377`, reader.position)
  return code
}

/** An escape of one character, such as `\n` or `\.`. */
export const readSimpleEscape = (reader: PatternReader, start: number, letter: string): number => {
  if (letter === 'N') throw new UnsupportedTemplate('characters by name')
  const code = ESCAPES[letter]
  if (code === undefined && /[A-Za-z0-9]/.test(letter)) throw regexError(`bad escape \\${letter}`, start)
  const literal = reader.takeCode()
  return code ?? literal
}
