/** Encodes the frames of SPDY/3.1. */

export const FRAME = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

export const FLAG_FIN = 0x01

/** Status codes of RST_STREAM. */
export const RESET = { invalidStream: 2, cancel: 5, streamAlreadyClosed: 9 } as const

/** Status codes of GOAWAY. */
export const GO_AWAY = { ok: 0, protocolError: 1 } as const

export const SETTING_INITIAL_WINDOW_SIZE = 7

const HEADER_BYTES = 8

/** A control frame whose payload starts with these 32-bit words. */
export const controlFrame = (type: number, words: readonly number[], rest?: Buffer): Buffer => {
  const length = words.length * 4 + (rest?.length ?? 0)
  const frame = Buffer.alloc(HEADER_BYTES + length)
  frame.writeUInt16BE(0x8003, 0)
  frame.writeUInt16BE(type, 2)
  frame.writeUIntBE(length, 5, 3)
  words.forEach((word, index) => {
    frame.writeUInt32BE(word, HEADER_BYTES + index * 4)
  })
  rest?.copy(frame, HEADER_BYTES + words.length * 4)
  return frame
}

export const dataFrame = (streamId: number, data: Buffer, fin: boolean): Buffer => {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + data.length)
  frame.writeUInt32BE(streamId, 0)
  frame.writeUInt8(fin ? FLAG_FIN : 0, 4)
  frame.writeUIntBE(data.length, 5, 3)
  data.copy(frame, HEADER_BYTES)
  return frame
}
