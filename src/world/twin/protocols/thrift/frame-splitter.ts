/** Splits a byte stream into the frames of Thrift's framed transport. */

/** A larger length means that the peer speaks another protocol. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

/** Calls `onFrame` with each complete frame. Throws if a length is invalid. */
export const createFrameSplitter = (onFrame: (frame: Buffer) => void): ((received: Buffer) => void) => {
  let parts: Buffer[] = []
  let bufferedBytes = 0
  let neededBytes = 4
  return (received) => {
    parts.push(received)
    bufferedBytes += received.length
    while (bufferedBytes >= neededBytes) {
      const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      const length = bytes.readUInt32BE(0)
      if (length > MAX_FRAME_BYTES)
        throw new Error(`a frame of ${length} bytes exceeds the maximum of ${MAX_FRAME_BYTES}`)
      parts = [bytes]
      neededBytes = 4 + length
      if (bufferedBytes < neededBytes) return
      onFrame(bytes.subarray(4, neededBytes))
      parts = [bytes.subarray(neededBytes)]
      bufferedBytes -= neededBytes
      neededBytes = 4
    }
  }
}
