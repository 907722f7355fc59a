/** The program of a memcached pod. */
import type { Socket } from 'node:net'
import type { StartStoreServer, StoreServerOptions } from '../../ports/index.ts'
import { listen } from '../listen.ts'
import { takeTurns } from '../take-turns.ts'
import { Cache } from './cache.ts'
import { type Counters, runCommand, STORING } from './commands.ts'

const DEFAULT_MEMORY_MIB = 64

const DEFAULT_CONNECTIONS = 1024

const LONGEST_LINE = 64 * 1024

/** One client: commands one after the other. */
class Conversation {
  #text = ''
  /** What came while a block of data was not whole; nobody looks at it before. */
  #pieces: string[] = []
  #held = 0
  /** The command that waits for its data, and how many letters these have, with the end of the line. */
  #storing: { readonly words: readonly string[]; readonly length: number } | undefined
  /** Of data that are too large so many letters are still to come, and nobody wants them. */
  #unwanted = 0
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

  take(chunk: Buffer): void {
    const dropped = Math.min(this.#unwanted, chunk.length)
    this.#unwanted -= dropped
    this.#pieces.push(chunk.toString('latin1', dropped))
    this.#held += chunk.length - dropped
    if (this.#text.length + this.#held < (this.#storing?.length ?? 0)) return
    this.#text += this.#pieces.join('')
    this.#pieces = []
    this.#held = 0
  }

  /** Runs one command, and answers; false where none is whole. */
  work(): boolean {
    const answer = this.#storing === undefined ? this.#line() : this.#data(this.#storing)
    if (answer === undefined) return false
    if (answer !== '') this.#socket.write(answer, 'latin1')
    return true
  }

  #line(): string | undefined {
    const end = this.#text.indexOf('\n')
    if ((end < 0 ? this.#text.length : end) > LONGEST_LINE) {
      this.#socket.write('ERROR\r\n')
      this.#socket.destroySoon()
      return undefined
    }
    if (end < 0) return undefined
    const words = this.#text.slice(0, end).trim().split(/ +/)
    this.#text = this.#text.slice(end + 1)
    if (!STORING.has(words[0]!)) return this.#run(words, '')
    const length = Number(words[4])
    if (!Number.isSafeInteger(length) || length < 0) return 'CLIENT_ERROR bad data chunk\r\n'
    if (length > this.#cache.largest) return this.#passOver(length + 2)
    this.#storing = { words, length: length + 2 }
    return ''
  }

  #passOver(letters: number): string {
    this.#unwanted = Math.max(0, letters - this.#text.length)
    this.#text = this.#text.slice(letters)
    return 'SERVER_ERROR object too large for cache\r\n'
  }

  #data({
    words,
    length,
  }: {
    readonly words: readonly string[]
    readonly length: number
  }): string | undefined {
    if (this.#text.length < length) return undefined
    const data = this.#text.slice(0, length - 2)
    const isWhole = this.#text.startsWith('\r\n', length - 2)
    this.#text = this.#text.slice(length)
    this.#storing = undefined
    return isWhole ? this.#run(words, data) : 'CLIENT_ERROR bad data chunk\r\nERROR\r\n'
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

/** Answers as memcached does over its text protocol. Nothing survives its end. */
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
  /** Connected, and not heard until another one goes. */
  const waiting: (() => void)[] = []
  const listening = await listen(options.port, (socket) => {
    const admit = (): void => {
      if (socket.destroyed) {
        waiting.shift()?.()
        return
      }
      counters.connections += 1
      counters.totalConnections += 1
      const conversation = new Conversation(cache, counters, options, socket)
      takeTurns(socket, {
        take: (chunk) => conversation.take(chunk),
        work: () => conversation.work(),
        failed: () => socket.destroy(),
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
