/** One bidirectional channel of a multiplexed connection: a SPDY stream or a WebSocket channel. */
import type { Readable, Writable } from 'node:stream'

export interface Channel {
  /** Ends when the client has closed its side or disconnected. */
  readonly input: Readable
  /** Never fails: drops data after the client has disconnected. */
  readonly output: Writable
  /** Aborts when the client has reset the channel or disconnected. */
  readonly closed: AbortSignal
}
