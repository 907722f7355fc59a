/** The frame of a gRPC message: a five-byte prefix holds the compression flag and the length. */

export const PREFIX_BYTES = 5

export const toFrame = (message: Buffer): Buffer => {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, PREFIX_BYTES)
  return frame
}

/** Returns the first message; undefined if it is incomplete or compressed, which is not supported. */
export const parseFrame = (data: Buffer): Buffer | undefined => {
  if (data.length < PREFIX_BYTES || data[0] !== 0) return undefined
  const end = PREFIX_BYTES + data.readUInt32BE(1)
  return data.length < end ? undefined : data.subarray(PREFIX_BYTES, end)
}

export const toJsonFrame = (value: unknown): Buffer => toFrame(Buffer.from(JSON.stringify(value ?? null)))

/** Returns undefined if the message is incomplete or compressed; throws if it is not JSON. */
export const parseJsonFrame = (data: Buffer): unknown => {
  const message = parseFrame(data)
  if (!message) return undefined
  return message.length === 0 ? null : JSON.parse(message.toString())
}
