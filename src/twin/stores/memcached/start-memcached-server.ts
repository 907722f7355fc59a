/** The program of a memcached pod. */
import type { Socket } from 'node:net'
import type { StartStoreServer, StoreServerOptions } from '../../ports/index.ts'
import { listen } from '../listen.ts'
import { Cache } from './cache.ts'
import { type Counters, runCommand, STORING } from './commands.ts'

const DEFAULT_MEMORY_MIB = 64

const DEFAULT_CONNECTIONS = 1024

const LONGEST_LINE = 64 * 1024

/** One client: commands one after the other. */
class Conversation {
  #text = ''
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

  push(chunk: Buffer): void {
    this.#text += chunk.toString('latin1')
    let answers = ''
    for (let answer = this.#next(); answer !== undefined; answer = this.#next()) answers += answer
    if (answers !== '') this.#socket.write(answers, 'latin1')
    if (this.#text.length > LONGEST_LINE && !this.#text.includes('\n')) this.#socket.end('ERROR\r\n')
  }

  /** Undefined where no command is whole. */
  #next(): string | undefined {
    const end = this.#text.indexOf('\n')
    if (end < 0) return undefined
    const words = this.#text.slice(0, end).trim().split(/ +/)
    const length = STORING.has(words[0]!) ? Number(words[4]) : 0
    if (!STORING.has(words[0]!)) this.#text = this.#text.slice(end + 1)
    else if (!Number.isInteger(length) || length < 0) {
      this.#text = this.#text.slice(end + 1)
      return 'CLIENT_ERROR bad data chunk\r\n'
    } else if (this.#text.length < end + 1 + length + 2) return undefined
    const data = STORING.has(words[0]!) ? this.#text.slice(end + 1, end + 1 + length) : ''
    if (STORING.has(words[0]!)) {
      const isWhole = this.#text.startsWith('\r\n', end + 1 + length)
      this.#text = this.#text.slice(end + 1 + length + 2)
      if (!isWhole) return 'CLIENT_ERROR bad data chunk\r\nERROR\r\n'
    }
    return this.#run(words, data)
  }

  #run(words: readonly string[], data: string): string {
    if (words[0] === 'quit') {
      this.#socket.end()
      return ''
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
      socket.on('data', (chunk) => conversation.push(chunk))
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
