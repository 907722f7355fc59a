/**
 * A stream of bytes over a connection of a simulated network, for protocols in which the server sends data without a request. The
 * client sends each chunk as a request, and keeps one request open that the server answers when it has bytes to send.
 */
import { EventEmitter } from 'node:events'
import type { AcceptedConnection, ProgramConnection, ProgramMessage, ProgramTime } from '#spec'
import type { ByteStream } from '#world/twin/stores'

/** Chunks are numbered, because requests of one connection can overlap. */
class Chunk {
  readonly number: number
  readonly bytes: Buffer

  constructor(number: number, bytes: Buffer) {
    this.number = number
    this.bytes = bytes
  }
}

/** Requests bytes from the server. */
class Poll {}

class Received {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

const POLL: ProgramMessage = { content: new Poll(), bytes: 0 }
const ACKNOWLEDGED: ProgramMessage = { content: new Received(Buffer.alloc(0)), bytes: 0 }

/** Delivers bytes to listeners, and buffers them while the stream is paused. */
abstract class Pipe extends EventEmitter implements ByteStream {
  readonly writableNeedDrain = false
  destroyed = false
  writableEnded = false
  #paused: Buffer[] | undefined

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded
  }

  abstract write(bytes: Buffer): void
  abstract destroy(): void
  abstract destroySoon(): void

  pause(): void {
    this.#paused ??= []
  }

  resume(): void {
    const chunks = this.#paused ?? []
    this.#paused = undefined
    for (const chunk of chunks) this.deliver(chunk)
  }

  protected deliver(chunk: Buffer): void {
    if (this.destroyed || chunk.length === 0) return
    if (this.#paused === undefined) this.emit('data', chunk)
    else this.#paused.push(chunk)
  }

  protected end(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

class ClientPipe extends Pipe {
  readonly #connection: ProgramConnection
  readonly #time: ProgramTime
  #sent = 0

  constructor(connection: ProgramConnection, time: ProgramTime) {
    super()
    this.#connection = connection
    this.#time = time
    connection.onClose(() => this.end())
    void this.#receive()
  }

  /** Ends with the connection. */
  async #receive(): Promise<void> {
    try {
      for (;;) {
        const { content } = await this.#connection.exchange(POLL)
        if (!(content instanceof Received)) break
        this.deliver(content.bytes)
      }
    } catch {
      // The connection has ended.
    }
    this.destroy()
  }

  write(bytes: Buffer): void {
    if (!this.writable) return
    const message = { content: new Chunk(this.#sent++, bytes), bytes: bytes.length }
    this.#connection.exchange(message).catch(() => this.destroy())
  }

  destroy(): void {
    this.#connection.close()
    this.end()
  }

  /** Sends the written chunks when the current reactions have ended. */
  destroySoon(): void {
    this.writableEnded = true
    this.#time.after(0, () => this.destroy())
  }
}

class ServerPipe extends Pipe {
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

export const openByteStream = (connection: ProgramConnection, time: ProgramTime): ByteStream =>
  new ClientPipe(connection, time)

export interface AcceptedStream {
  readonly stream: ByteStream
  readonly handle: (request: ProgramMessage) => Promise<ProgramMessage>
}

export const acceptByteStream = (connection: AcceptedConnection, time: ProgramTime): AcceptedStream => {
  const pipe = new ServerPipe(connection, time)
  return { stream: pipe, handle: pipe.handle }
}
