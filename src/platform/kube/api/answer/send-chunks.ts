/** Writes a long response in chunks: encodes only as fast as the client reads, and yields to other requests. */
import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '#kit'
import { finish } from './respond.ts'

export interface ChunkSender {
  /** Real time, for the timeout. */
  realClock: Clock
  /** The connection is closed if the client does not read a chunk for this long. */
  stalledMs: number
  /** Receives errors of the encoding. The response is then aborted, because its status is already sent. */
  onUnexpected(error: unknown): void
}

/** The headers must already be written. */
export const sendChunks = (
  response: ServerResponse,
  chunks: Iterator<string>,
  { realClock, stalledMs, onUnexpected }: ChunkSender,
): void => {
  let stallTimer: Timer | undefined
  const next = (): void => {
    if (response.destroyed) return
    try {
      const { done, value } = chunks.next()
      if (done === true) finish(response, '')
      else if (response.write(value)) realClock.defer(next)
      else stallTimer = realClock.after(stalledMs, () => response.destroy())
    } catch (error) {
      onUnexpected(error)
      response.destroy()
    }
  }
  response.on('drain', () => {
    if (stallTimer === undefined) return
    stallTimer.cancel()
    stallTimer = undefined
    // Deferred, because 'drain' of a fast client fires before other requests are handled and would starve them.
    realClock.defer(next)
  })
  response.on('close', () => stallTimer?.cancel())
  next()
}
