/** Escapes characters of untrusted text that a terminal does not show or executes. */
import { INVISIBLE_CHARACTERS } from './invisible-characters.ts'

/** Combining marks after the third one, which could cover other lines. */
const PILED_MARKS = /(?<=\p{M}{3})\p{M}/gu

const escapeOne = (character: string): string => {
  if (character === '\n') return character
  if (character === '\t') return '    '
  const code = character.codePointAt(0)!
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** Keeps line feeds. */
export const escapeInvisible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(PILED_MARKS, escapeOne).replaceAll(INVISIBLE_CHARACTERS, escapeOne)
