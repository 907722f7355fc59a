/** The side of the client of a stream of bytes: sends each chunk as a request, and requests bytes from the server. */
import type { ProgramConnection, ProgramTime } from '#spec'
import type { ByteStream } from '#world/twin/stores'
import { BytePipe } from './byte-pipe.ts'
import { Chunk, POLL, Received } from './pipe-messages.ts'

class ClientPipe extends BytePipe {
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

export const openByteStream = (connection: ProgramConnection, time: ProgramTime): ByteStream =>
  new ClientPipe(connection, time)
