/** One two-way lane of a multiplexed connection: a SPDY stream or a WebSocket channel. */
import type { Readable, Writable } from 'node:stream'

export interface Lane {
  /** Ends when the client has closed its side, or is gone. */
  readonly input: Readable
  /** Takes and drops what is written once the client is gone, so that no writer ever fails. */
  readonly output: Writable
  /** Aborts when the client gave up this lane, or left. */
  readonly gone: AbortSignal
}
