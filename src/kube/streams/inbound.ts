/** What a client sends on one lane, as a stream that can ask for the connection to be held back. */
import { Readable } from 'node:stream'

export interface Inbound {
  readonly readable: Readable
  feed(chunk: Buffer): void
  end(): void
}

/** Bytes that may wait unread on one lane before the whole connection is held back. */
const HIGH_WATER_MARK = 256 * 1024

/** `onPressure` tells when too much waits unread, and when it no longer does. */
export const createInbound = (onPressure: (full: boolean) => void): Inbound => {
  let full = false
  let ended = false
  const relieve = (): void => {
    if (!full) return
    full = false
    onPressure(false)
  }
  const readable = new Readable({
    highWaterMark: HIGH_WATER_MARK,
    read: relieve,
    destroy(_error, done) {
      relieve()
      done(null)
    },
  })
  readable.on('error', () => {})
  return {
    readable,
    feed(chunk) {
      if (ended || readable.destroyed || chunk.length === 0) return
      if (readable.push(chunk) || full) return
      full = true
      onPressure(true)
    },
    end() {
      if (ended || readable.destroyed) return
      ended = true
      readable.push(null)
    },
  }
}
