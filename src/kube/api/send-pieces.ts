/** Writes a long answer piece by piece: others are answered in between, and no more is made than the client takes. */
import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../kit/index.ts'
import { finish } from './respond.ts'

export interface PieceSender {
  /** The time of the world outside. */
  realClock: Clock
  /** A client that does not take a piece for so many milliseconds has stopped reading, and is cut off. */
  stalledMs: number
  /** Told what went wrong in the making of a piece: too late to refuse, so the answer breaks off. */
  onUnexpected(error: unknown): void
}

/** The headers must have been set. */
export const sendPieces = (
  response: ServerResponse,
  pieces: Iterator<string>,
  { realClock, stalledMs, onUnexpected }: PieceSender,
): void => {
  let stalled: Timer | undefined
  const next = (): void => {
    if (response.destroyed) return
    try {
      const { done, value } = pieces.next()
      if (done === true) finish(response, '')
      else if (response.write(value)) realClock.defer(next)
      else stalled = realClock.after(stalledMs, () => response.destroy())
    } catch (error) {
      onUnexpected(error)
      response.destroy()
    }
  }
  response.on('drain', () => {
    if (stalled === undefined) return
    stalled.cancel()
    stalled = undefined
    // A fast client's drain comes before anybody else's turn: without the detour it would keep all others waiting.
    realClock.defer(next)
  })
  response.on('close', () => stalled?.cancel())
  next()
}
