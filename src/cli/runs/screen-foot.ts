/** A few lines at the foot of a terminal that are drawn again and again, with what is said meanwhile above them. */

export interface Terminal {
  readonly columns?: number
  write(text: string): unknown
}

export interface ScreenFoot {
  /** Above the foot, for good. */
  say(line: string): void
  draw(lines: readonly string[]): void
  /** Takes the foot away. */
  clear(): void
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const COLOUR = /\x1b\[[\d;]*m/g
const widthOf = (line: string): number => line.replaceAll(COLOUR, '').length

/** What does not fit is cut: a line that wraps would be two. */
const cut = (line: string, columns: number): string => {
  if (widthOf(line) < columns) return line
  const plain = line.replaceAll(COLOUR, '')
  return `${plain.slice(0, Math.max(0, columns - 2))}…`
}

export const createScreenFoot = (terminal: Terminal): ScreenFoot => {
  let drawn: readonly string[] = []
  const columns = (): number => terminal.columns ?? 80

  /**
   * To where the foot began; a terminal that was made narrower since has wrapped its lines. One by one: some terminals keep
   * a screen that is cleared as a whole.
   */
  const erase = (): string => {
    if (drawn.length === 0) return ''
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns())), 0)
    drawn = []
    return `\r${Array.from({ length: rows }, () => '\x1b[2K').join('\x1b[1A')}`
  }
  const foot = (lines: readonly string[]): string => {
    drawn = lines.map((line) => cut(line, columns()))
    return drawn.join('\n')
  }
  return {
    say(line) {
      const kept = drawn
      terminal.write(`${erase()}${line}\n${foot(kept)}`)
    },
    draw: (lines) => void terminal.write(`${erase()}${foot(lines)}`),
    clear: () => void terminal.write(erase()),
  }
}
