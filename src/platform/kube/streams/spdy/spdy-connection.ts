/** The server side of a SPDY/3.1 connection. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '#kit'
import { createGate } from '../gate.ts'
import { createIdleTimer } from '../idle-timer.ts'
import { createFrameParser } from './frame-parser.ts'
import { controlFrame, FRAME, GO_AWAY } from './frames.ts'
import { SpdyError } from './spdy-error.ts'
import type { SpdyStream } from './spdy-stream.ts'
import { INITIAL_WINDOW_BYTES } from './stream-host.ts'
import { createStreamTable, MAX_31_BITS, type StreamTable } from './stream-table.ts'

export interface SpdyConnection {
  /** Aborts when either side has closed the connection. */
  readonly closed: AbortSignal
  /** Sends GOAWAY after the data written so far and closes the connection. */
  close(): void
}

/** How long the client may take to close its side after GOAWAY. */
const LINGER_MS = 5000

type Send = (frame: Buffer) => void

interface ControlFrame {
  type: number
  flags: number
  payload: Buffer
}

/** Applies a control frame; throws SpdyError if it is invalid. */
const applyControl = (table: StreamTable, send: Send, { type, flags, payload }: ControlFrame): void => {
  const uint32 = (index: number): number => {
    if (payload.length < index * 4 + 4) throw new SpdyError('control frame too short')
    return payload.readUInt32BE(index * 4)
  }
  const id = (): number => uint32(0) & MAX_31_BITS
  if (type === FRAME.synStream) table.open(payload, flags)
  else if (type === FRAME.rstStream) table.abandon(id())
  else if (type === FRAME.settings) table.applySettings(payload, uint32(0))
  // Pings with an even id are replies to pings of the server, which sends none.
  else if (type === FRAME.ping && uint32(0) % 2 === 1) send(controlFrame(FRAME.ping, [uint32(0)]))
  else if (type === FRAME.windowUpdate) table.widen(id(), uint32(1) & MAX_31_BITS)
  else if (type === FRAME.synReply || type === FRAME.headers) table.skipHeaders(payload.subarray(4))
}

/** `accept` is called with each stream that the client opens; false rejects it. */
export const createSpdyConnection = (
  transport: Duplex,
  clock: Clock,
  accept: (stream: SpdyStream) => boolean,
): SpdyConnection => {
  const closing = new AbortController()
  const gate = createGate(transport)
  let unacknowledged = 0
  let linger: Timer | undefined

  const send = (frame: Buffer, sent?: () => void): void => {
    idle.touch()
    if (closing.signal.aborted || !transport.writable) sent?.()
    else transport.write(frame, () => sent?.())
  }
  const table = createStreamTable({ send, setPressure: gate.set, accept })

  const disconnect = (): void => {
    if (closing.signal.aborted) return
    closing.abort()
    idle.stop()
    table.abandonAll()
    // The end of a connection is noticed only if the connection is read.
    transport.resume()
  }

  const goAway = (status: number): void => {
    if (closing.signal.aborted) return
    send(controlFrame(FRAME.goAway, [table.lastId, status]))
    disconnect()
    transport.end()
    linger = clock.after(LINGER_MS, () => transport.destroy())
  }

  const idle = createIdleTimer(clock, () => goAway(GO_AWAY.ok))

  const parse = createFrameParser({
    control(type, flags, payload) {
      if (!closing.signal.aborted) applyControl(table, send, { type, flags, payload })
    },
    data(streamId, piece, fin) {
      if (closing.signal.aborted) return
      unacknowledged += piece.length
      if (unacknowledged >= INITIAL_WINDOW_BYTES / 2) {
        send(controlFrame(FRAME.windowUpdate, [0, unacknowledged]))
        unacknowledged = 0
      }
      table.receive(streamId, piece, fin)
    },
  })

  transport.on('data', (chunk: Buffer) => {
    if (closing.signal.aborted) return
    idle.touch()
    try {
      parse(chunk)
    } catch {
      goAway(GO_AWAY.protocolError)
    }
  })
  transport.on('error', disconnect)
  transport.on('end', () => {
    disconnect()
    transport.end()
  })
  transport.on('close', () => {
    linger?.cancel()
    disconnect()
  })

  return { closed: closing.signal, close: () => goAway(GO_AWAY.ok) }
}
