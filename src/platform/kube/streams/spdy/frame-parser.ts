/** Parses the frames of a SPDY/3.1 connection; data is passed on as it arrives, control frames as a whole. */
import { FLAG_FIN } from './frames.ts'
import { SpdyError } from './spdy-error.ts'

export interface FrameSink {
  control(type: number, flags: number, payload: Buffer): void
  /** A piece of a data frame; `fin` is true for the last piece of the stream's last frame. */
  data(streamId: number, piece: Buffer, fin: boolean): void
}

const HEADER_BYTES = 8
const MAX_CONTROL_BYTES = 64 * 1024
const EMPTY = Buffer.alloc(0)

/** Returns a function that parses a chunk; it throws SpdyError for invalid data. */
export const createFrameParser = (sink: FrameSink): ((chunk: Buffer) => void) => {
  let pending: Buffer = EMPTY
  let openFrame: { streamId: number; fin: boolean; remaining: number } | undefined

  /** Consumes data of the open frame and returns the rest. */
  const consumeData = (rest: Buffer, frame: NonNullable<typeof openFrame>): Buffer => {
    const piece = rest.subarray(0, frame.remaining)
    frame.remaining -= piece.length
    if (frame.remaining === 0) openFrame = undefined
    const isComplete = frame.remaining === 0
    if (piece.length > 0 || isComplete) sink.data(frame.streamId, piece, frame.fin && isComplete)
    return rest.subarray(piece.length)
  }

  /** Consumes one control frame and returns the rest, or undefined if the frame is incomplete. */
  const consumeControlFrame = (rest: Buffer, length: number): Buffer | undefined => {
    if (rest.readUInt16BE(0) !== 0x8003) throw new SpdyError('unknown SPDY version')
    if (length > MAX_CONTROL_BYTES) throw new SpdyError('control frame too long')
    const end = HEADER_BYTES + length
    if (rest.length < end) return undefined
    sink.control(rest.readUInt16BE(2), rest.readUInt8(4), rest.subarray(HEADER_BYTES, end))
    return rest.subarray(end)
  }

  return (chunk) => {
    let rest = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    pending = EMPTY
    for (;;) {
      if (openFrame !== undefined) {
        rest = consumeData(rest, openFrame)
        if (openFrame !== undefined) return
      }
      if (rest.length < HEADER_BYTES) break
      const length = rest.readUIntBE(5, 3)
      if (rest.readUInt8(0) < 0x80) {
        const fin = (rest.readUInt8(4) & FLAG_FIN) !== 0
        openFrame = { streamId: rest.readUInt32BE(0), fin, remaining: length }
        rest = rest.subarray(HEADER_BYTES)
        continue
      }
      const after = consumeControlFrame(rest, length)
      if (after === undefined) break
      rest = after
    }
    pending = rest
  }
}
