/** What is wrong with a value, in Go's words; the decoder adds where it was found. */
export class DecodeFailure extends Error {}
