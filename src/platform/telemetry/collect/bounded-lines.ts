/** Splits a stream of bytes into lines of bounded length. */
const NEWLINE = 0x0a
/** Above this number, the parts of a line are joined, because each part has an overhead. */
const MAX_PARTS = 256

/** Returns a function that accepts the next chunk. If a line exceeds `maxBytes`, only its beginning is passed to `onTooLong`. */
export const createBoundedLines = (
  maxBytes: number,
  { onLine, onTooLong }: { onLine(line: string): void; onTooLong(prefix: string): void },
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let length = 0
  let isSkipping = false

  const lineText = (): string => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')

  const addPart = (part: Buffer): void => {
    if (isSkipping || part.length === 0) return
    parts.push(part.subarray(0, maxBytes - length))
    length += part.length
    isSkipping = length > maxBytes
    if (isSkipping) {
      onTooLong(lineText())
      parts = []
    } else if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)]
  }

  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      addPart(chunk.subarray(start, end))
      if (!isSkipping) onLine(lineText())
      parts = []
      length = 0
      isSkipping = false
      start = end + 1
    }
    // A copy, so that a few bytes do not retain the whole chunk.
    if (start < chunk.length) addPart(Buffer.from(chunk.subarray(start)))
  }
}
