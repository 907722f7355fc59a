/** Redraws a few lines at the bottom of a terminal, and prints other lines above them. */

export interface Terminal {
  readonly columns?: number
  write(text: string): unknown
}

export interface ScreenFooter {
  /** Prints a line above the footer. */
  print(line: string): void
  draw(lines: readonly string[]): void
  /** Removes the footer. */
  clear(): void
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
const COLOUR = /\x1b\[[\d;]*m/g
const widthOf = (line: string): number => line.replaceAll(COLOUR, '').length

/** Cuts a line to the width of the terminal: a wrapped line would take two rows. */
const cut = (line: string, columns: number): string => {
  if (widthOf(line) < columns) return line
  const plain = line.replaceAll(COLOUR, '')
  return `${plain.slice(0, Math.max(0, columns - 2))}…`
}

export const createScreenFooter = (terminal: Terminal): ScreenFooter => {
  let drawn: readonly string[] = []
  const columns = (): number => terminal.columns ?? 80

  /**
   * Counts the rows of the footer again, because a terminal that became narrower has wrapped its lines. Clears row by row,
   * because some terminals copy a screen that is cleared as a whole into their scrollback.
   */
  const erase = (): string => {
    if (drawn.length === 0) return ''
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns())), 0)
    drawn = []
    return `\r${Array.from({ length: rows }, () => '\x1b[2K').join('\x1b[1A')}`
  }
  const drawLines = (lines: readonly string[]): string => {
    drawn = lines.map((line) => cut(line, columns()))
    return drawn.join('\n')
  }
  return {
    print(line) {
      const footer = drawn
      terminal.write(`${erase()}${line}\n${drawLines(footer)}`)
    },
    draw: (lines) => void terminal.write(`${erase()}${drawLines(lines)}`),
    clear: () => void terminal.write(erase()),
  }
}
