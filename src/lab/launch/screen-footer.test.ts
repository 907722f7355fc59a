/** Tests the footer of the screen on a simulated terminal. */
import { describe, expect, it } from 'vitest'
import { createScreenFooter } from './screen-footer.ts'

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
  const putCharacter = (character: string): void => {
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
          putCharacter(rest[0]!)
          rest = rest.slice(1)
        }
    },
    resize(columns: number) {
      this.columns = columns
      rows = rows.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''])
      row = rows.length - 1
    },
    /** The rows down to the cursor; fails if there is text below it. */
    visibleRows() {
      expect(rows.slice(row + 1).join('')).toBe('')
      return rows.slice(0, row + 1)
    },
  }
}

describe('the footer of a screen', () => {
  it('is redrawn in place, and moves down when a line is printed', () => {
    const terminal = createTerminal(40)
    const footer = createScreenFooter(terminal)
    footer.draw(['one', 'two'])
    footer.draw(['one', 'three', 'four'])
    footer.print('a line')
    footer.draw(['five'])
    expect(terminal.visibleRows()).toEqual(['a line', 'five'])
    footer.clear()
    expect(terminal.visibleRows()).toEqual(['a line', ''])
  })

  it('cuts long lines, and erases lines that wrapped when the window became narrower', () => {
    const terminal = createTerminal(20)
    const footer = createScreenFooter(terminal)
    footer.print('above')
    footer.draw(['a line that is too long for it', 'b'])
    expect(terminal.visibleRows()).toEqual(['above', 'a line that is too…', 'b'])
    terminal.resize(10)
    expect(terminal.visibleRows()).toHaveLength(4)
    footer.draw(['c', 'd'])
    expect(terminal.visibleRows()).toEqual(['above', 'c', 'd'])
  })
})
