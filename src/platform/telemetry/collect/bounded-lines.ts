/** Splits a stream of bytes into lines of bounded length. */
const NEWLINE = 0x0a
/** Chunks of one line are joined above this number: each chunk has an overhead. */
const MAX_PARTS = 256

/** Returns a function that accepts the next chunk. If a line exceeds `maxBytes`, only its beginning is passed to `onTooLong`. */
export const createBoundedLines = (
  maxBytes: number,
  { onLine, onTooLong }: { onLine(line: string): void; onTooLong(prefix: string): void },
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let skipping = false

  const text = (): string => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')

  const keep = (part: Buffer): void => {
    if (skipping || part.length === 0) return
    parts.push(part.subarray(0, maxBytes - length))
    length += part.length
    skipping = length > maxBytes
    if (skipping) {
      onTooLong(text())
      parts = []
    } else if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)]
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
    // A copy, so that a few bytes do not retain the whole chunk.
    if (from < chunk.length) keep(Buffer.from(chunk.subarray(from)))
  }
}
