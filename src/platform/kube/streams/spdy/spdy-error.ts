/** A protocol error of the peer; the connection is then closed with GOAWAY. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError'
}
