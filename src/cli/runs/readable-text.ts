/** A stranger's text for the eyes of somebody who has to judge it: nothing in it can paint, hide or pretend. */
import { escapeUnseen } from '../escape-unseen.ts'

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
  escapeUnseen(text)
    .split('\n')
    // Letters may be two columns wide.
    .flatMap((line) =>
      wrap(line, Math.max(20, Math.floor((columns - MARGIN.length) / (/[^\x20-\x7e]/.test(line) ? 2 : 1)))),
    )
    .join('\n')
