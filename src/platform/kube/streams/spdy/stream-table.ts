/** The streams of a SPDY connection: opens them and applies frames to them. */
import { controlFrame, FLAG_FIN, FRAME, RESET, SETTING_INITIAL_WINDOW_SIZE } from './frames.ts'
import { createHeaderReader, createHeaderWriter } from './header-block.ts'
import { SpdyError } from './spdy-error.ts'
import { createSpdyStream, type SpdyStream, type SpdyStreamControl } from './spdy-stream.ts'
import { INITIAL_WINDOW_BYTES, type StreamHost } from './stream-host.ts'

export const MAX_31_BITS = 0x7fffffff

export interface StreamTableOptions extends Pick<StreamHost, 'send' | 'setPressure'> {
  /** Called with each stream that the client opens; false rejects it. */
  accept(stream: SpdyStream): boolean
}

/** The methods throw SpdyError for invalid frames. */
export interface StreamTable {
  /** The id of the latest stream. */
  readonly lastId: number
  open(payload: Buffer, flags: number): void
  receive(id: number, piece: Buffer, fin: boolean): void
  /** Ends a stream that the client has reset. */
  abandon(id: number): void
  abandonAll(): void
  applySettings(payload: Buffer, count: number): void
  /** Widens the send window of a stream, or of the whole connection if `id` is 0. */
  widen(id: number, bytes: number): void
  /** Reads a header block only to update the decompression state. */
  skipHeaders(block: Buffer): void
}

const SYN_STREAM_BYTES = 10

export const createStreamTable = ({ send, setPressure, accept }: StreamTableOptions): StreamTable => {
  const streams = new Map<number, SpdyStreamControl>()
  const readHeaders = createHeaderReader()
  const writeHeaders = createHeaderWriter()
  let lastId = 0

  const host: StreamHost = {
    window: { isEnforced: false, initial: INITIAL_WINDOW_BYTES, remaining: INITIAL_WINDOW_BYTES },
    send,
    remove(id) {
      streams.delete(id)
      setPressure(id, false)
    },
    setPressure: (id, full) => setPressure(id, full && streams.has(id)),
  }

  const pumpAll = (): void => {
    for (const stream of [...streams.values()]) stream.pump()
  }

  return {
    get lastId() {
      return lastId
    },
    open(payload, flags) {
      if (payload.length < SYN_STREAM_BYTES) throw new SpdyError('SYN_STREAM too short')
      const id = payload.readUInt32BE(0) & MAX_31_BITS
      const headers = readHeaders(payload.subarray(SYN_STREAM_BYTES))
      if (id % 2 === 0 || id <= lastId) throw new SpdyError(`stream ${id} out of order`)
      lastId = id
      const control = createSpdyStream(id, headers, host)
      streams.set(id, control)
      if (accept(control.stream)) send(controlFrame(FRAME.synReply, [id], writeHeaders(new Map())))
      else control.stream.reset()
      if ((flags & FLAG_FIN) !== 0) control.receive(Buffer.alloc(0), true)
    },
    receive(id, piece, fin) {
      const control = streams.get(id)
      if (control !== undefined) control.receive(piece, fin)
      else if (id === 0) throw new SpdyError('data on stream 0')
      else if (id > lastId) send(controlFrame(FRAME.rstStream, [id, RESET.invalidStream]))
    },
    abandon: (id) => streams.get(id)?.abandon(),
    abandonAll() {
      for (const stream of [...streams.values()]) stream.abandon()
    },
    applySettings(payload, count) {
      if (payload.length !== 4 + count * 8) throw new SpdyError('SETTINGS has the wrong length')
      for (let offset = 4; offset < payload.length; offset += 8) {
        if (payload.readUIntBE(offset + 1, 3) !== SETTING_INITIAL_WINDOW_SIZE) continue
        const size = Math.min(payload.readUInt32BE(offset + 4), MAX_31_BITS)
        for (const stream of streams.values()) stream.widen(size - host.window.initial)
        host.window.initial = size
        host.window.isEnforced = true
      }
      pumpAll()
    },
    widen(id, bytes) {
      host.window.isEnforced = true
      if (id === 0) host.window.remaining = Math.min(host.window.remaining + bytes, MAX_31_BITS)
      else streams.get(id)?.widen(bytes)
      pumpAll()
    },
    skipHeaders: (block) => void readHeaders(block),
  }
}
