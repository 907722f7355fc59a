/** Splits a stream of bytes into lines. A line that is too long is skipped, without keeping it in memory. */

export interface LineSplitter {
  add(chunk: Buffer): void
}

/** `onLine` receives undefined for a line that is too long. */
export const createLineSplitter = (
  maxBytes: number,
  onLine: (line: string | undefined) => void,
): LineSplitter => {
  let pieces: Buffer[] = []
  let bytes = 0
  const addPiece = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes <= maxBytes) pieces.push(piece)
    else pieces = []
  }
  const endLine = (): void => {
    const line = bytes > maxBytes ? undefined : Buffer.concat(pieces).toString('utf8')
    pieces = []
    bytes = 0
    if (line?.trim() !== '') onLine(line)
  }
  return {
    add(chunk) {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        addPiece(chunk.subarray(start, end))
        endLine()
        start = end + 1
      }
      addPiece(chunk.subarray(start))
    },
  }
}
