/** A stranger's text for the eyes of somebody who has to judge it: nothing in it can paint, hide or pretend. */

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

const MARGIN = '  | '
/** Of a line that goes on from the one before. */
const GOES_ON = '  : '

const wrap = (line: string, width: number): string[] => {
  const letters = [...line]
  const rows = Array.from({ length: Math.max(1, Math.ceil(letters.length / width)) }, (_, at) =>
    letters.slice(at * width, (at + 1) * width).join(''),
  )
  return rows.map((row, at) => `${at === 0 ? MARGIN : GOES_ON}${row}`)
}

/** Every line behind a margin, so that none can be taken for a question or a line of the run. */
export const readableText = (text: string, columns: number): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(PILED, escapeOne)
    .replaceAll(UNSEEN, escapeOne)
    .split('\n')
    // Letters may be two columns wide.
    .flatMap((line) =>
      wrap(line, Math.max(20, Math.floor((columns - MARGIN.length) / (/[^\x20-\x7e]/.test(line) ? 2 : 1)))),
    )
    .join('\n')
