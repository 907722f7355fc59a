/** A peer that broke the rules of SPDY: the whole connection ends with a GOAWAY. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError'
}
