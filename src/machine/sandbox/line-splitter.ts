/** Splits untrusted bytes into lines; drops long lines, and all lines after a maximum number. */

const MAX_LINE_BYTES = 64 * 2 ** 10
const MAX_LINES = 5000
const NEWLINE = 10

export const createLineSplitter = (onLine: (line: string) => void): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let lines = 0
  const endLine = (): void => {
    if (length <= MAX_LINE_BYTES && lines < MAX_LINES && length > 0) {
      lines += 1
      onLine(Buffer.concat(parts).toString())
    }
    parts = []
    length = 0
  }
  const addPart = (part: Buffer): void => {
    length += part.length
    if (length <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  return (chunk) => {
    let from = 0
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, from)) {
      addPart(chunk.subarray(from, newline))
      endLine()
      from = newline + 1
    }
    if (from < chunk.length) addPart(chunk.subarray(from))
  }
}
