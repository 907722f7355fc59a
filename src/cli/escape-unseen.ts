/** A stranger's text with nothing in it that a terminal would obey, or would not show. */
import { UNSEEN_LETTERS } from '../report/index.ts'

/** Accents upon accents, which would cover other lines. */
const PILED = /(?<=\p{M}{3})\p{M}/gu

const escapeOne = (letter: string): string => {
  if (letter === '\n') return letter
  if (letter === '\t') return '    '
  const code = letter.codePointAt(0)!
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

export const escapeUnseen = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(PILED, escapeOne).replaceAll(UNSEEN_LETTERS, escapeOne)
