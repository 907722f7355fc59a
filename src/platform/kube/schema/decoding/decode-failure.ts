/** A decoding error with Go's message. The decoder adds the type that it was decoding. */
export class DecodeFailure extends Error {
  /** The message of the converter that strategic merge patches use; undefined if it is the same. */
  readonly converterMessage: string | undefined

  constructor(message: string, converterMessage?: string) {
    super(message)
    this.converterMessage = converterMessage
  }
}
