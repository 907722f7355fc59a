/** The side of the server of a stream of bytes: orders the chunks of the client, and answers its requests for bytes. */
import type { AcceptedConnection, ProgramMessage, ProgramTime } from '#spec'
import type { ByteStream } from '#world/twin/stores'
import { BytePipe } from './byte-pipe.ts'
import { ACKNOWLEDGED, Chunk, Poll, Received } from './pipe-messages.ts'

class ServerPipe extends BytePipe {
  readonly #connection: AcceptedConnection
  readonly #time: ProgramTime
  readonly #early = new Map<number, Buffer>()
  #expected = 0
  #unsent: Buffer[] = []
  #answerPoll: ((message: ProgramMessage) => void) | undefined

  constructor(connection: AcceptedConnection, time: ProgramTime) {
    super()
    this.#connection = connection
    this.#time = time
    connection.onClose(() => this.end())
  }

  /** Rejects a request that does not belong to a stream. */
  readonly handle = ({ content }: ProgramMessage): Promise<ProgramMessage> => {
    if (content instanceof Poll)
      return new Promise((resolve) => {
        this.#answerPoll = resolve
        this.#flush()
      })
    if (!(content instanceof Chunk))
      return Promise.reject(new Error('the request does not belong to a stream'))
    this.#early.set(content.number, content.bytes)
    for (
      let next = this.#early.get(this.#expected);
      next !== undefined;
      next = this.#early.get(this.#expected)
    ) {
      this.#early.delete(this.#expected)
      this.#expected += 1
      this.deliver(next)
    }
    return Promise.resolve(ACKNOWLEDGED)
  }

  write(bytes: Buffer): void {
    if (!this.writable) return
    this.#unsent.push(bytes)
    this.#flush()
  }

  #flush(): void {
    const answer = this.#answerPoll
    if (answer === undefined || this.#unsent.length === 0) return
    const bytes = Buffer.concat(this.#unsent)
    this.#unsent = []
    this.#answerPoll = undefined
    answer({ content: new Received(bytes), bytes: bytes.length })
    if (this.writableEnded) this.#closeSoon()
  }

  #closeSoon(): void {
    this.#time.after(0, () => this.destroy())
  }

  destroy(): void {
    this.#connection.close()
    this.end()
  }

  /** Waits until the client has requested all written bytes. */
  destroySoon(): void {
    this.writableEnded = true
    if (this.#unsent.length === 0) this.#closeSoon()
  }
}

export interface AcceptedStream {
  readonly stream: ByteStream
  readonly handle: (request: ProgramMessage) => Promise<ProgramMessage>
}

export const acceptByteStream = (connection: AcceptedConnection, time: ProgramTime): AcceptedStream => {
  const pipe = new ServerPipe(connection, time)
  return { stream: pipe, handle: pipe.handle }
}
