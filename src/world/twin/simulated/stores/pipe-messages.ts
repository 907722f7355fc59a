/** The messages of a stream of bytes over a simulated network. */
import type { ProgramMessage } from '#spec'

/** Chunks are numbered, because requests of one connection can overlap. */
export class Chunk {
  readonly number: number
  readonly bytes: Buffer

  constructor(number: number, bytes: Buffer) {
    this.number = number
    this.bytes = bytes
  }
}

/** Requests bytes from the server. */
export class Poll {}

/** Bytes from the server, or the acknowledgement of a chunk. */
export class Received {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

export const POLL: ProgramMessage = { content: new Poll(), bytes: 0 }
export const ACKNOWLEDGED: ProgramMessage = { content: new Received(Buffer.alloc(0)), bytes: 0 }
