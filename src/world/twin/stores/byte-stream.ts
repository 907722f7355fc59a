/** The part of a socket that connections use, so that a simulated host can provide it. */

interface StreamEvents {
  data: (chunk: Buffer) => void
  drain: () => void
  error: (error: Error) => void
  close: () => void
}

export interface ByteStream {
  readonly destroyed: boolean
  readonly writable: boolean
  readonly writableEnded: boolean
  /** Whether the peer reads more slowly than this side writes. */
  readonly writableNeedDrain: boolean
  write(bytes: Buffer): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
  /** Closes the stream after the bytes that were written. */
  destroySoon(): unknown
  on<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): unknown
  once<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): unknown
  off<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): unknown
}
