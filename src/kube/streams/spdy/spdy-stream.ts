/** One stream that the client opened on a SPDY connection. */
import { Writable } from 'node:stream'
import { createInbound, type Inbound } from '../inbound.ts'
import type { Lane } from '../lane.ts'
import { controlFrame, dataFrame, FRAME, RESET } from './frames.ts'
import type { SpdyHeaders } from './header-block.ts'

export interface SpdyStream extends Lane {
  readonly id: number
  readonly headers: SpdyHeaders
  /** Gives the stream up on both sides. */
  reset(): void
}

/** What the connection tells a stream. */
export interface SpdyStreamEnd {
  readonly stream: SpdyStream
  receive(piece: Buffer, fin: boolean): void
  /** The client reset the stream, or the connection is gone: input ends, output is dropped. */
  lose(): void
  /** The client takes `bytes` more (or less) than before. */
  widen(bytes: number): void
  /** Sends what waited for the window. */
  pump(): void
}

/** How much the client is ready to take on the whole connection. */
export interface SendWindow {
  /**
   * Go's spdystream, and with it kubectl, never says a word about windows, and would wait forever for a server
   * that keeps to the 64 KiB of the protocol: only a peer that speaks of windows is held to them.
   */
  enforced: boolean
  /** Of a new stream. */
  initial: number
  /** Of the connection. */
  left: number
}

/** What a stream needs of its connection. */
export interface StreamHost {
  readonly window: SendWindow
  send(frame: Buffer, sent?: () => void): void
  /** The stream has ended on both sides. */
  forget(id: number): void
  /** Too much waits unread on this stream, or no longer. */
  pressure(id: number, full: boolean): void
}

export const INITIAL_WINDOW = 64 * 1024
const MAX_DATA = 32 * 1024
const NOTHING = Buffer.alloc(0)

/** Grants the client room again after half a window, but not while the reader is behind. */
const createCredit = (
  id: number,
  host: StreamHost,
): { spend(bytes: number): void; hold(full: boolean): void } => {
  let owed = 0
  let held = false
  const pay = (): void => {
    if (held || owed < INITIAL_WINDOW / 2) return
    host.send(controlFrame(FRAME.windowUpdate, [id, owed]))
    owed = 0
  }
  return {
    spend(bytes) {
      owed += bytes
      pay()
    },
    hold(full) {
      held = full
      pay()
    },
  }
}

export const createSpdyStream = (id: number, headers: SpdyHeaders, host: StreamHost): SpdyStreamEnd => {
  const departure = new AbortController()
  const ended = { here: false, there: false }
  let window = host.window.initial
  let unsent: Buffer = NOTHING
  let written: (() => void) | undefined

  const credit = createCredit(id, host)
  const inbound: Inbound = createInbound((full) => {
    host.pressure(id, full)
    credit.hold(full)
  })

  const end = (side: 'here' | 'there'): void => {
    if (ended[side]) return
    ended[side] = true
    if (side === 'there') inbound.end()
    if (ended.here && ended.there) host.forget(id)
  }

  const pump = (): void => {
    while (unsent.length > 0 && written !== undefined) {
      const room = host.window.enforced ? Math.min(window, host.window.left) : MAX_DATA
      const piece = unsent.subarray(0, Math.max(0, Math.min(room, MAX_DATA)))
      if (piece.length === 0) return
      unsent = unsent.subarray(piece.length)
      window -= piece.length
      host.window.left -= piece.length
      const last = unsent.length === 0
      const done = written
      if (last) written = undefined
      host.send(dataFrame(id, piece, false), last ? done : undefined)
    }
  }

  const sendFin = (done: () => void): void => {
    if (ended.here) done()
    else host.send(dataFrame(id, NOTHING, true), done)
    end('here')
  }

  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (ended.here || chunk.length === 0) return done()
      unsent = chunk
      written = done
      pump()
    },
    final: sendFin,
    destroy(_error, done) {
      sendFin(() => {})
      done(null)
    },
  })
  output.on('error', () => {})

  const lose = (): void => {
    end('there')
    end('here')
    unsent = NOTHING
    const waiting = written
    written = undefined
    departure.abort()
    waiting?.()
  }

  return {
    stream: {
      id,
      headers,
      input: inbound.readable,
      output,
      gone: departure.signal,
      reset() {
        if (!ended.here || !ended.there) host.send(controlFrame(FRAME.rstStream, [id, RESET.cancel]))
        lose()
      },
    },
    receive(piece, fin) {
      if (ended.there) return host.send(controlFrame(FRAME.rstStream, [id, RESET.streamAlreadyClosed]))
      inbound.feed(piece)
      credit.spend(piece.length)
      if (fin) end('there')
    },
    lose,
    widen(bytes) {
      window += bytes
    },
    pump,
  }
}
