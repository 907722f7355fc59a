/** Cuts a stream of bytes into lines of bounded length. */
const NEWLINE = 0x0a
/** Each costs more than a few bytes. */
const MOST_PARTS = 256

/** The function takes the next bytes; of lines longer than `longest` bytes only the beginning is told. */
export const createBoundedLines = (
  longest: number,
  { onLine, onTooLong }: { onLine(line: string): void; onTooLong(beginning: string): void },
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let skipping = false

  const text = (): string => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')

  const keep = (part: Buffer): void => {
    if (skipping || part.length === 0) return
    parts.push(part.subarray(0, longest - length))
    length += part.length
    skipping = length > longest
    if (skipping) {
      onTooLong(text())
      parts = []
    } else if (parts.length > MOST_PARTS) parts = [Buffer.concat(parts)]
  }

  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end))
      if (!skipping) onLine(text())
      parts = []
      length = 0
      skipping = false
      from = end + 1
    }
    // A copy, so that a few bytes do not hold the whole block that they came in.
    if (from < chunk.length) keep(Buffer.from(chunk.subarray(from)))
  }
}
