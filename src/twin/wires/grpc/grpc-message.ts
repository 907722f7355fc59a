/** One gRPC message on its stream: five bytes in front say whether it is compressed, and how long it is. */

export const PREFIX = 5

export const toFrame = (message: Buffer): Buffer => {
  const frame = Buffer.allocUnsafe(PREFIX + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, PREFIX)
  return frame
}

/** The first message of what came; undefined where it is cut off or compressed, which nobody here offers to read. */
export const parseFrame = (data: Buffer): Buffer | undefined => {
  if (data.length < PREFIX || data[0] !== 0) return undefined
  const end = PREFIX + data.readUInt32BE(1)
  return data.length < end ? undefined : data.subarray(PREFIX, end)
}

export const toJsonFrame = (value: unknown): Buffer => toFrame(Buffer.from(JSON.stringify(value ?? null)))

/** Undefined where there is no whole message; throws where it is not JSON. */
export const parseJsonFrame = (data: Buffer): unknown => {
  const message = parseFrame(data)
  if (!message) return undefined
  return message.length === 0 ? null : JSON.parse(message.toString())
}
