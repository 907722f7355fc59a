/** One stream that the client opened on a SPDY connection. */
import { Writable } from 'node:stream'
import type { Channel } from '../channel.ts'
import { createInbound, type Inbound } from '../inbound.ts'
import { controlFrame, dataFrame, FRAME, RESET } from './frames.ts'
import type { SpdyHeaders } from './header-block.ts'
import { createSendQueue } from './send-queue.ts'
import { INITIAL_WINDOW_BYTES, type StreamHost } from './stream-host.ts'

export interface SpdyStream extends Channel {
  readonly id: number
  readonly headers: SpdyHeaders
  /** Ends the stream on both sides. */
  reset(): void
}

/** A stream with the methods that its connection calls. */
export interface SpdyStreamControl {
  readonly stream: SpdyStream
  receive(piece: Buffer, fin: boolean): void
  /** Ends the input and drops the output, because the client has reset the stream or the connection is closed. */
  abandon(): void
  /** Changes the send window by `bytes`, which may be negative. */
  widen(bytes: number): void
  /** Sends data that waited for the window. */
  pump(): void
}

/** Sends window updates after half a window has been received, unless the reader has too much unread input. */
const createReceiveWindow = (
  id: number,
  host: StreamHost,
): { consume(bytes: number): void; hold(full: boolean): void } => {
  let consumed = 0
  let isHeld = false
  const update = (): void => {
    if (isHeld || consumed < INITIAL_WINDOW_BYTES / 2) return
    host.send(controlFrame(FRAME.windowUpdate, [id, consumed]))
    consumed = 0
  }
  return {
    consume(bytes) {
      consumed += bytes
      update()
    },
    hold(full) {
      isHeld = full
      update()
    },
  }
}

export const createSpdyStream = (id: number, headers: SpdyHeaders, host: StreamHost): SpdyStreamControl => {
  const closing = new AbortController()
  const ended = { input: false, output: false }
  const queue = createSendQueue(id, host)
  const window = createReceiveWindow(id, host)
  const inbound: Inbound = createInbound((full) => {
    host.setPressure(id, full)
    window.hold(full)
  })

  const end = (side: 'input' | 'output'): void => {
    if (ended[side]) return
    ended[side] = true
    if (side === 'input') inbound.end()
    if (ended.input && ended.output) host.remove(id)
  }

  const sendFin = (done: () => void): void => {
    if (ended.output) done()
    else host.send(dataFrame(id, Buffer.alloc(0), true), done)
    end('output')
  }

  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (ended.output || chunk.length === 0) done()
      else queue.write(chunk, done)
    },
    final: sendFin,
    destroy(_error, done) {
      sendFin(() => {})
      done(null)
    },
  })
  output.on('error', () => {})

  const abandon = (): void => {
    end('input')
    end('output')
    closing.abort()
    queue.clear()
  }

  const reset = (): void => {
    if (!ended.output || !ended.input) host.send(controlFrame(FRAME.rstStream, [id, RESET.cancel]))
    abandon()
  }

  return {
    stream: { id, headers, input: inbound.readable, output, closed: closing.signal, reset },
    receive(piece, fin) {
      if (ended.input) return host.send(controlFrame(FRAME.rstStream, [id, RESET.streamAlreadyClosed]))
      inbound.feed(piece)
      window.consume(piece.length)
      if (fin) end('input')
    },
    abandon,
    widen: queue.widen,
    pump: queue.pump,
  }
}
