/** A decoding error with Go's message. The decoder adds the type that it was decoding. */
export class DecodeFailure extends Error {}
