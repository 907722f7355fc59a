/** Splits the output of a program into lines, with limits and back pressure. */
import type { Readable } from 'node:stream'

const MAX_LINE_CHARACTERS = 4_000_000
/** If more output than this is unread, reading is paused, which blocks the program. */
const MAX_BUFFERED_LINES = 1000
const MAX_BUFFERED_CHARACTERS = 8_000_000
const MAX_EMPTY_LINES = 10_000

export interface LineReader {
  /**
   * Returns the next line, `{ line: undefined }` at the end, or undefined if no line is available yet.
   * Throws if a limit is exceeded.
   */
  takeLine(): { line: string | undefined } | undefined
  /** Resolves when `takeLine` may return a different result. */
  waitForChange(): Promise<void>
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export const createLineReader = (output: Readable): LineReader => {
  const lines: string[] = []
  let bufferedCharacters = 0
  let emptyLines = 0
  /** The pieces of the line that has not ended yet. */
  const pieces: string[] = []
  let lineCharacters = 0
  let failure: Error | undefined
  let hasEnded = false
  let wake = (): void => {}
  const fail = (reason: string): void => {
    failure ??= new Error(reason)
    output.destroy()
  }
  const endLine = (): void => {
    const line = pieces.splice(0).join('')
    lineCharacters = 0
    if (line.trim() === '') {
      emptyLines += 1
      if (emptyLines > MAX_EMPTY_LINES)
        fail(`The program wrote more than ${MAX_EMPTY_LINES} empty lines in a row.`)
      return
    }
    emptyLines = 0
    lines.push(line)
    bufferedCharacters += line.length
  }
  const addPiece = (piece: string): void => {
    pieces.push(piece)
    lineCharacters += piece.length
    if (lineCharacters > MAX_LINE_CHARACTERS)
      fail(`The program wrote a line of more than ${MAX_LINE_CHARACTERS} characters.`)
  }
  output.setEncoding('utf8')
  output.on('data', (text: string) => {
    const [first = '', ...otherLines] = text.split('\n')
    addPiece(first)
    for (const piece of otherLines) {
      endLine()
      addPiece(piece)
    }
    if (lines.length > MAX_BUFFERED_LINES || bufferedCharacters > MAX_BUFFERED_CHARACTERS) output.pause()
    wake()
  })
  const end = (): void => {
    // The last line may lack its line break, but must be complete.
    if (isJson(pieces.join(''))) endLine()
    hasEnded = true
    wake()
  }
  output.on('end', end)
  output.on('close', end)

  return {
    takeLine() {
      if (failure !== undefined) throw failure
      const line = lines.shift()
      bufferedCharacters -= line?.length ?? 0
      if (lines.length <= MAX_BUFFERED_LINES / 2 && bufferedCharacters <= MAX_BUFFERED_CHARACTERS / 2)
        output.resume()
      return line !== undefined || hasEnded ? { line } : undefined
    },
    waitForChange: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}
