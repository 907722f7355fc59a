/** Splits untrusted bytes into lines; drops long lines, and all lines after a maximum number. */

const MAX_LINE_BYTES = 64 * 2 ** 10
const MAX_LINES = 5000
const NEWLINE = 10

export const createLineSplitter = (onLine: (line: string) => void): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let lines = 0
  const end = (): void => {
    if (length <= MAX_LINE_BYTES && lines < MAX_LINES && length > 0) {
      lines += 1
      onLine(Buffer.concat(parts).toString())
    }
    parts = []
    length = 0
  }
  const add = (part: Buffer): void => {
    length += part.length
    if (length <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
}
