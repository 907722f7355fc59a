/** The interface of a SPDY connection for its streams. */

/** How much data the client accepts, on each stream and on the whole connection. */
export interface SendWindow {
  /**
   * False until the client sends a window update or an initial window size. Go's spdystream, which kubectl uses,
   * never sends window updates and would wait forever for a server that respects the default window of 64 KiB.
   */
  isEnforced: boolean
  /** The initial window of a new stream. */
  initial: number
  /** The remaining window of the connection. */
  remaining: number
}

export interface StreamHost {
  readonly window: SendWindow
  send(frame: Buffer, sent?: () => void): void
  /** Called when the stream has ended on both sides. */
  remove(id: number): void
  /** Reports whether the stream has too much unread input. */
  setPressure(id: number, full: boolean): void
}

export const INITIAL_WINDOW_BYTES = 64 * 1024
