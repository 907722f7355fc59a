/** Tests the foot of the screen on a simulated terminal. */
import { describe, expect, it } from 'vitest'
import { createScreenFoot } from './screen-foot.ts'

const ESCAPE = '\x1b['

/** Simulates rows, the cursor, moving up, clearing, and wrapping after a resize. */
const createTerminal = (width: number) => {
  let rows = ['']
  let [row, column] = [0, 0]
  /** Executes one escape sequence, and returns the rest of the text. */
  const execute = (text: string): string => {
    const end = text.search(/[AK]/)
    const count = Number(text.slice(ESCAPE.length, end))
    if (text[end] === 'A') row -= count
    else rows[row] = ''
    return text.slice(end + 1)
  }
  const put = (character: string): void => {
    if (character === '\r') column = 0
    else if (character === '\n') {
      row += 1
      column = 0
      rows[row] ??= ''
    } else {
      rows[row] = rows[row]!.slice(0, column) + character
      column += 1
    }
  }
  return {
    columns: width,
    write(text: string) {
      let rest = text
      while (rest !== '')
        if (rest.startsWith(ESCAPE)) rest = execute(rest)
        else {
          put(rest[0]!)
          rest = rest.slice(1)
        }
    },
    resize(columns: number) {
      this.columns = columns
      rows = rows.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''])
      row = rows.length - 1
    },
    /** The rows down to the cursor; fails if there is text below it. */
    shown() {
      expect(rows.slice(row + 1).join('')).toBe('')
      return rows.slice(0, row + 1)
    },
  }
}

describe('the foot of a screen', () => {
  it('is redrawn in place, and moves down when a line is printed', () => {
    const terminal = createTerminal(40)
    const foot = createScreenFoot(terminal)
    foot.draw(['one', 'two'])
    foot.draw(['one', 'three', 'four'])
    foot.print('a line')
    foot.draw(['five'])
    expect(terminal.shown()).toEqual(['a line', 'five'])
    foot.clear()
    expect(terminal.shown()).toEqual(['a line', ''])
  })

  it('cuts long lines, and erases lines that wrapped when the window became narrower', () => {
    const terminal = createTerminal(20)
    const foot = createScreenFoot(terminal)
    foot.print('above')
    foot.draw(['a line that is too long for it', 'b'])
    expect(terminal.shown()).toEqual(['above', 'a line that is too…', 'b'])
    terminal.resize(10)
    expect(terminal.shown()).toHaveLength(4)
    foot.draw(['c', 'd'])
    expect(terminal.shown()).toEqual(['above', 'c', 'd'])
  })
})
