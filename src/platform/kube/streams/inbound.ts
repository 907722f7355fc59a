/** The input of one channel as a readable stream with backpressure. */
import { Readable } from 'node:stream'

export interface Inbound {
  readonly readable: Readable
  feed(chunk: Buffer): void
  end(): void
}

/** Above this much unread input, the whole connection is paused. */
const HIGH_WATER_MARK_BYTES = 256 * 1024

/** `onPressure` is called when the input becomes full, and when it is no longer full. */
export const createInbound = (onPressure: (full: boolean) => void): Inbound => {
  let full = false
  let ended = false
  const relieve = (): void => {
    if (!full) return
    full = false
    onPressure(false)
  }
  const readable = new Readable({
    highWaterMark: HIGH_WATER_MARK_BYTES,
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
