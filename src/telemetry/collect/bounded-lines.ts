/** Cuts a stream of bytes into lines of bounded length. */
const NEWLINE = 0x0a

/** The function takes the next bytes; lines longer than `longest` bytes are left out and told of. */
export const createBoundedLines = (
  longest: number,
  { onLine, onTooLong }: { onLine(line: string): void; onTooLong(): void },
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let skipping = false

  const keep = (part: Buffer): void => {
    if (skipping) return
    length += part.length
    skipping = length > longest
    if (skipping) {
      parts = []
      onTooLong()
    } else if (part.length > 0) parts.push(part)
  }

  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end))
      if (!skipping) onLine((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8'))
      parts = []
      length = 0
      skipping = false
      from = end + 1
    }
    // A copy, so that a few bytes do not hold the whole block that they came in.
    if (from < chunk.length) keep(Buffer.from(chunk.subarray(from)))
  }
}
