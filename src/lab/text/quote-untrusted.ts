/** Shows untrusted text to an operator who must judge it. */
import { escapeInvisible } from './escape-invisible.ts'

const MARGIN = '  | '
/** The margin of the second and further rows of a line. */
const CONTINUED_MARGIN = '  : '
const MIN_ROW_CHARACTERS = 20

const wrap = (line: string, width: number): string[] => {
  const characters = [...line]
  const rows = Array.from({ length: Math.max(1, Math.ceil(characters.length / width)) }, (_, index) =>
    characters.slice(index * width, (index + 1) * width).join(''),
  )
  return rows.map((row, index) => `${index === 0 ? MARGIN : CONTINUED_MARGIN}${row}`)
}

/** Characters outside ASCII may take two columns. */
const charactersPerRow = (line: string, columns: number): number =>
  Math.max(MIN_ROW_CHARACTERS, Math.floor((columns - MARGIN.length) / (/[^\x20-\x7e]/.test(line) ? 2 : 1)))

/** Puts a margin before each row, so that no row can imitate a prompt or a line of progress. */
export const quoteUntrusted = (text: string, columns: number): string =>
  escapeInvisible(text)
    .split('\n')
    .flatMap((line) => wrap(line, charactersPerRow(line, columns)))
    .join('\n')
