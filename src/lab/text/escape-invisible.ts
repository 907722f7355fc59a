/** Escapes characters of untrusted text that are invisible on a terminal or control it. */
import { INVISIBLE_CHARACTERS } from './invisible-characters.ts'

/** Combining marks after the third one: many marks on one character can cover other lines. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}/gu

const escapeCharacter = (character: string): string => {
  if (character === '\n') return character
  if (character === '\t') return '    '
  const code = character.codePointAt(0)!
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** Keeps line feeds, and replaces tabs with spaces. */
export const escapeInvisible = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(STACKED_MARKS, escapeCharacter)
    .replaceAll(INVISIBLE_CHARACTERS, escapeCharacter)
