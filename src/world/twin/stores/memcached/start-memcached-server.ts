/** The memcached server of a pod. */
import type { Socket } from 'node:net'
import type { StartStoreServer } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processHost } from '../process-host.ts'
import { processInput } from '../process-input.ts'
import { STORAGE_COMMANDS } from './commands.ts'
import { MemcachedServer, TOO_LARGE } from './memcached-server.ts'

const MAX_LINE_CHARACTERS = 64 * 1024

/** One client connection; runs its commands in order. */
class MemcachedSession {
  #text = ''
  /** Input received while a block of data is incomplete; joined once enough has arrived. */
  #pieces: string[] = []
  #pendingCharacters = 0
  /** The command that waits for its data, with the length of the data and its line end in characters. */
  #storing: { readonly words: readonly string[]; readonly length: number } | undefined
  /** Number of characters of oversized data still to discard. */
  #discardCharacters = 0
  readonly #server: MemcachedServer
  readonly #socket: Socket

  constructor(server: MemcachedServer, socket: Socket) {
    this.#server = server
    this.#socket = socket
  }

  receive(chunk: Buffer): void {
    const dropped = Math.min(this.#discardCharacters, chunk.length)
    this.#discardCharacters -= dropped
    this.#pieces.push(chunk.toString('latin1', dropped))
    this.#pendingCharacters += chunk.length - dropped
    if (this.#text.length + this.#pendingCharacters < (this.#storing?.length ?? 0)) return
    this.#text += this.#pieces.join('')
    this.#pieces = []
    this.#pendingCharacters = 0
  }

  /** Runs one command and answers it; returns false if no command is complete. */
  processNext(): boolean {
    const answer = this.#storing === undefined ? this.#runLine() : this.#storeData(this.#storing)
    if (answer === undefined) return false
    if (answer !== '') this.#socket.write(answer, 'latin1')
    return true
  }

  #runLine(): string | undefined {
    const end = this.#text.indexOf('\n')
    if ((end < 0 ? this.#text.length : end) > MAX_LINE_CHARACTERS) {
      this.#socket.write('ERROR\r\n')
      this.#socket.destroySoon()
      return undefined
    }
    if (end < 0) return undefined
    const words = this.#text.slice(0, end).trim().split(/ +/)
    this.#text = this.#text.slice(end + 1)
    if (!STORAGE_COMMANDS.has(words[0]!)) return this.#run(words, '')
    const length = Number(words[4])
    if (!Number.isSafeInteger(length) || length < 0) return 'CLIENT_ERROR bad data chunk\r\n'
    if (length > this.#server.maxItemBytes) return this.#discard(length + 2)
    this.#storing = { words, length: length + 2 }
    return ''
  }

  #discard(characters: number): string {
    this.#discardCharacters = Math.max(0, characters - this.#text.length)
    this.#text = this.#text.slice(characters)
    return `${TOO_LARGE}\r\n`
  }

  #storeData({
    words,
    length,
  }: {
    readonly words: readonly string[]
    readonly length: number
  }): string | undefined {
    if (this.#text.length < length) return undefined
    const data = this.#text.slice(0, length - 2)
    const isComplete = this.#text.startsWith('\r\n', length - 2)
    this.#text = this.#text.slice(length)
    this.#storing = undefined
    return isComplete ? this.#run(words, data) : 'CLIENT_ERROR bad data chunk\r\nERROR\r\n'
  }

  #run(words: readonly string[], data: string): string | undefined {
    if (words[0] === 'quit') {
      this.#socket.destroySoon()
      return undefined
    }
    const answer = this.#server.run(words, data)
    return answer === undefined ? '' : `${answer}\r\n`
  }
}

/** Answers as memcached does over its text protocol. The items are lost at exit. */
export const startMemcachedServer: StartStoreServer = async (options) => {
  const server = new MemcachedServer(options, processHost)
  const listening = await listen(options.port, (socket) =>
    server.admit({
      isGone: () => socket.destroyed,
      start: () => {
        const session = new MemcachedSession(server, socket)
        processInput(socket, {
          receive: (chunk) => session.receive(chunk),
          processNext: () => session.processNext(),
          onMalformed: () => socket.destroy(),
        })
        socket.once('close', () => server.release())
      },
    }),
  )
  server.announce(listening.port)
  return listening
}
