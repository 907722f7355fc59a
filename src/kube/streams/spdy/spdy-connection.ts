/** The server's side of a SPDY/3.1 connection: frames in, streams out. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '../../../kit/index.ts'
import { createGate } from '../gate.ts'
import { createIdleTimer } from '../idle-timer.ts'
import { createFrameParser } from './frame-parser.ts'
import { controlFrame, FLAG_FIN, FRAME, GO_AWAY, RESET, SETTING_INITIAL_WINDOW_SIZE } from './frames.ts'
import { createHeaderReader, createHeaderWriter } from './header-block.ts'
import { SpdyError } from './spdy-error.ts'
import {
  createSpdyStream,
  INITIAL_WINDOW,
  type SpdyStream,
  type SpdyStreamEnd,
  type StreamHost,
} from './spdy-stream.ts'

export interface SpdyConnection {
  /** Aborts when the connection is no more, whoever ended it. */
  readonly closed: AbortSignal
  /** Says goodbye after what has been written so far. */
  close(): void
}

/** How long the client may take to close its side after a goodbye, in milliseconds. */
const LINGER_MS = 5000
const MAX_31_BITS = 0x7fffffff

/** `accept` is called with each stream the client opens; false refuses it. */
export const createSpdyConnection = (
  transport: Duplex,
  clock: Clock,
  accept: (stream: SpdyStream) => boolean,
): SpdyConnection => {
  const departure = new AbortController()
  const streams = new Map<number, SpdyStreamEnd>()
  const gate = createGate(transport)
  const readHeaders = createHeaderReader()
  const writeHeaders = createHeaderWriter()
  let lastStreamId = 0
  let unacknowledged = 0
  let linger: Timer | undefined

  const host: StreamHost = {
    window: { enforced: false, initial: INITIAL_WINDOW, left: INITIAL_WINDOW },
    send(frame, sent) {
      idle.touch()
      if (departure.signal.aborted || !transport.writable) sent?.()
      else transport.write(frame, () => sent?.())
    },
    forget(id) {
      streams.delete(id)
      gate.set(id, false)
    },
    pressure: (id, full) => gate.set(id, full && streams.has(id)),
  }

  const leave = (): void => {
    if (departure.signal.aborted) return
    departure.abort()
    idle.stop()
    for (const one of [...streams.values()]) one.lose()
    // Unread bytes would keep the end of the connection from being seen.
    transport.resume()
  }

  const goodbye = (status: number): void => {
    if (departure.signal.aborted) return
    host.send(controlFrame(FRAME.goAway, [lastStreamId, status]))
    leave()
    transport.end()
    linger = clock.after(LINGER_MS, () => transport.destroy())
  }

  const idle = createIdleTimer(clock, () => goodbye(GO_AWAY.ok))

  const openStream = (payload: Buffer, flags: number): void => {
    if (payload.length < 10) throw new SpdyError('SYN_STREAM too short')
    const id = payload.readUInt32BE(0) & MAX_31_BITS
    const headers = readHeaders(payload.subarray(10))
    if (id % 2 === 0 || id <= lastStreamId) throw new SpdyError(`stream ${id} out of order`)
    lastStreamId = id
    const end = createSpdyStream(id, headers, host)
    streams.set(id, end)
    if (accept(end.stream)) host.send(controlFrame(FRAME.synReply, [id], writeHeaders(new Map())))
    else end.stream.reset()
    if ((flags & FLAG_FIN) !== 0) end.receive(Buffer.alloc(0), true)
  }

  const pumpAll = (): void => {
    for (const one of [...streams.values()]) one.pump()
  }

  const applySettings = (payload: Buffer, count: number): void => {
    if (payload.length !== 4 + count * 8) throw new SpdyError('SETTINGS of a wrong length')
    for (let at = 4; at < payload.length; at += 8) {
      if (payload.readUIntBE(at + 1, 3) !== SETTING_INITIAL_WINDOW_SIZE) continue
      const size = Math.min(payload.readUInt32BE(at + 4), MAX_31_BITS)
      for (const one of streams.values()) one.widen(size - host.window.initial)
      host.window.initial = size
      host.window.enforced = true
    }
    pumpAll()
  }

  const widen = (id: number, bytes: number): void => {
    host.window.enforced = true
    if (id === 0) host.window.left = Math.min(host.window.left + bytes, MAX_31_BITS)
    else streams.get(id)?.widen(bytes)
    pumpAll()
  }

  const parse = createFrameParser({
    control(type, flags, payload) {
      if (departure.signal.aborted) return
      const word = (index: number): number => {
        if (payload.length < index * 4 + 4) throw new SpdyError('control frame too short')
        return payload.readUInt32BE(index * 4)
      }
      const id = (): number => word(0) & MAX_31_BITS
      if (type === FRAME.synStream) openStream(payload, flags)
      else if (type === FRAME.rstStream) streams.get(id())?.lose()
      else if (type === FRAME.settings) applySettings(payload, word(0))
      // Pings with an even number would be answers to ours, and we send none.
      else if (type === FRAME.ping && word(0) % 2 === 1) host.send(controlFrame(FRAME.ping, [word(0)]))
      else if (type === FRAME.windowUpdate) widen(id(), word(1) & MAX_31_BITS)
      // Nothing in these concerns us, but every block moves the compression on.
      else if (type === FRAME.synReply || type === FRAME.headers) readHeaders(payload.subarray(4))
    },
    data(streamId, piece, fin) {
      if (departure.signal.aborted) return
      unacknowledged += piece.length
      if (unacknowledged >= INITIAL_WINDOW / 2) {
        host.send(controlFrame(FRAME.windowUpdate, [0, unacknowledged]))
        unacknowledged = 0
      }
      const end = streams.get(streamId)
      if (end !== undefined) end.receive(piece, fin)
      else if (streamId === 0) throw new SpdyError('data on stream 0')
      else if (streamId > lastStreamId)
        host.send(controlFrame(FRAME.rstStream, [streamId, RESET.invalidStream]))
    },
  })

  transport.on('data', (chunk: Buffer) => {
    if (departure.signal.aborted) return
    idle.touch()
    try {
      parse(chunk)
    } catch {
      goodbye(GO_AWAY.protocolError)
    }
  })
  transport.on('error', leave)
  transport.on('end', () => {
    leave()
    transport.end()
  })
  transport.on('close', () => {
    linger?.cancel()
    leave()
  })

  return { closed: departure.signal, close: () => goodbye(GO_AWAY.ok) }
}
