/** A stranger's text with nothing in it that a terminal would obey, or would not show. */

/**
 * What moves the cursor, turns the direction of writing or is not seen: control characters, marks of direction, letters without
 * width, tags, selectors of variants. Line ends and tabs stay.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800]|[\ufe00-\ufe0f]/gu
/** Accents upon accents, which would cover other lines. */
const PILED = /(?<=\p{M}{3})\p{M}/gu

const escapeOne = (letter: string): string => {
  if (letter === '\n') return letter
  if (letter === '\t') return '    '
  const code = letter.codePointAt(0)!
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

export const escapeUnseen = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(PILED, escapeOne).replaceAll(UNSEEN, escapeOne)
