/** The memcached server of a pod. */
import type { Socket } from 'node:net'
import type { StartStoreServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processInput } from '../process-input.ts'
import { Cache } from './cache.ts'
import { type Counters, runCommand, STORAGE_COMMANDS } from './commands.ts'

const DEFAULT_MEMORY_MIB = 64

const DEFAULT_CONNECTIONS = 1024

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
  readonly #cache: Cache
  readonly #counters: Counters
  readonly #options: StoreServerOptions
  readonly #socket: Socket

  constructor(cache: Cache, counters: Counters, options: StoreServerOptions, socket: Socket) {
    this.#cache = cache
    this.#counters = counters
    this.#options = options
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
    if (length > this.#cache.maxItemBytes) return this.#discard(length + 2)
    this.#storing = { words, length: length + 2 }
    return ''
  }

  #discard(characters: number): string {
    this.#discardCharacters = Math.max(0, characters - this.#text.length)
    this.#text = this.#text.slice(characters)
    return 'SERVER_ERROR object too large for cache\r\n'
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
    const startedAt = performance.now()
    const answer =
      this.#options.fails?.(words[0]!) === true
        ? 'SERVER_ERROR internal error'
        : runCommand(this.#cache, words, data, this.#counters)
    const failure =
      answer !== undefined && /^(ERROR|CLIENT_ERROR|SERVER_ERROR)/.test(answer) ? answer : undefined
    this.#options.onCommand(words[0]!, performance.now() - startedAt, failure)
    return answer === undefined ? '' : `${answer}\r\n`
  }
}

/** Answers as memcached does over its text protocol. The items are lost at exit. */
export const startMemcachedServer: StartStoreServer = async (options) => {
  const cache = new Cache((options.maxMemoryMiB ?? DEFAULT_MEMORY_MIB) * 1024 * 1024)
  const counters: Counters = {
    startedAt: Date.now(),
    connections: 0,
    totalConnections: 0,
    gets: 0,
    hits: 0,
    sets: 0,
    maxConnections: options.maxConnections ?? DEFAULT_CONNECTIONS,
  }
  /** Connections over the limit; they are served when others close. */
  const waiting: (() => void)[] = []
  const listening = await listen(options.port, (socket) => {
    const admit = (): void => {
      if (socket.destroyed) {
        waiting.shift()?.()
        return
      }
      counters.connections += 1
      counters.totalConnections += 1
      const session = new MemcachedSession(cache, counters, options, socket)
      processInput(socket, {
        receive: (chunk) => session.receive(chunk),
        processNext: () => session.processNext(),
        onMalformed: () => socket.destroy(),
      })
      socket.once('close', () => {
        counters.connections -= 1
        waiting.shift()?.()
      })
    }
    if (counters.connections < counters.maxConnections) admit()
    else {
      waiting.push(admit)
      options.log('warn', 'Maximum number of connections reached')
    }
  })
  options.log('info', `server listening (${listening.port})`)
  return listening
}
