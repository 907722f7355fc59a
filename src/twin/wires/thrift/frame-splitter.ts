/** Cuts what comes from a socket into the frames of Thrift's framed transport. */

/** More than this is no frame but something else that speaks to the port. */
const MOST_BYTES = 256 * 1024 * 1024

/** Gives each whole frame to `take`. Throws where a length makes no sense. */
export const createFrameSplitter = (take: (frame: Buffer) => void): ((received: Buffer) => void) => {
  let parts: Buffer[] = []
  let held = 0
  let wanted = 4
  return (received) => {
    parts.push(received)
    held += received.length
    while (held >= wanted) {
      const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      const length = bytes.readUInt32BE(0)
      if (length > MOST_BYTES) throw new Error(`a frame of ${length} bytes`)
      parts = [bytes]
      wanted = 4 + length
      if (held < wanted) return
      take(bytes.subarray(4, wanted))
      parts = [bytes.subarray(wanted)]
      held -= wanted
      wanted = 4
    }
  }
}
