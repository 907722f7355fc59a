/** Sends the output of one SPDY stream in frames, within the windows of the stream and the connection. */
import { dataFrame } from './frames.ts'
import type { StreamHost } from './stream-host.ts'

export interface SendQueue {
  /** Calls `done` once all of the chunk is sent; only then may the next chunk be written. */
  write(chunk: Buffer, done: () => void): void
  /** Sends as much as the windows allow. */
  pump(): void
  /** Changes the window of the stream by `bytes`, which may be negative. */
  widen(bytes: number): void
  /** Drops unsent data and completes the pending write. */
  clear(): void
}

const MAX_FRAME_BYTES = 32 * 1024
const EMPTY = Buffer.alloc(0)

export const createSendQueue = (id: number, host: StreamHost): SendQueue => {
  let window = host.window.initial
  let unsent: Buffer = EMPTY
  let onSent: (() => void) | undefined

  const pump = (): void => {
    while (unsent.length > 0 && onSent !== undefined) {
      const capacity = host.window.isEnforced ? Math.min(window, host.window.remaining) : MAX_FRAME_BYTES
      const piece = unsent.subarray(0, Math.max(0, Math.min(capacity, MAX_FRAME_BYTES)))
      if (piece.length === 0) return
      unsent = unsent.subarray(piece.length)
      window -= piece.length
      host.window.remaining -= piece.length
      const isLast = unsent.length === 0
      const done = onSent
      if (isLast) onSent = undefined
      host.send(dataFrame(id, piece, false), isLast ? done : undefined)
    }
  }

  return {
    pump,
    write(chunk, done) {
      unsent = chunk
      onSent = done
      pump()
    },
    widen(bytes) {
      window += bytes
    },
    clear() {
      unsent = EMPTY
      const pending = onSent
      onSent = undefined
      pending?.()
    },
  }
}
