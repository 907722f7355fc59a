/** Tests of the foot of the screen on a terminal that does what terminals do with lines and cursors. */
import { describe, expect, it } from 'vitest'
import { createScreenFoot } from './screen-foot.ts'

const ESCAPE = '\x1b['

/** As much of a terminal as the foot uses: rows, a cursor, up, clear, and wrapping anew when it is resized. */
const createTerminal = (width: number) => {
  let rows = ['']
  let [row, column] = [0, 0]
  /** Gives what is left of the text. */
  const obey = (text: string): string => {
    const end = text.search(/[AK]/)
    const count = Number(text.slice(ESCAPE.length, end))
    if (text[end] === 'A') row -= count
    else rows[row] = ''
    return text.slice(end + 1)
  }
  const put = (letter: string): void => {
    if (letter === '\r') column = 0
    else if (letter === '\n') {
      row += 1
      column = 0
      rows[row] ??= ''
    } else {
      rows[row] = rows[row]!.slice(0, column) + letter
      column += 1
    }
  }
  return {
    columns: width,
    write(text: string) {
      let rest = text
      while (rest !== '')
        if (rest.startsWith(ESCAPE)) rest = obey(rest)
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
    /** Down to the cursor; there is nothing below it. */
    shown() {
      expect(rows.slice(row + 1).join('')).toBe('')
      return rows.slice(0, row + 1)
    },
  }
}

describe('the foot of a screen', () => {
  it('is drawn again in its place, and moves down under what is said', () => {
    const terminal = createTerminal(40)
    const foot = createScreenFoot(terminal)
    foot.draw(['one', 'two'])
    foot.draw(['one', 'three', 'four'])
    foot.say('told')
    foot.draw(['five'])
    expect(terminal.shown()).toEqual(['told', 'five'])
    foot.clear()
    expect(terminal.shown()).toEqual(['told', ''])
  })

  it('cuts what would wrap, and knows what was wrapped when the window became narrower', () => {
    const terminal = createTerminal(20)
    const foot = createScreenFoot(terminal)
    foot.say('above')
    foot.draw(['a line that is too long for it', 'b'])
    expect(terminal.shown()).toEqual(['above', 'a line that is too…', 'b'])
    terminal.resize(10)
    expect(terminal.shown()).toHaveLength(4)
    foot.draw(['c', 'd'])
    expect(terminal.shown()).toEqual(['above', 'c', 'd'])
  })
})
