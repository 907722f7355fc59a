/** A memcached server without its sockets: the items, the commands, and the admission of connections. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import { Cache } from './cache.ts'
import { type Counters, runCommand } from './commands.ts'

const DEFAULT_MEMORY_MIB = 64

const DEFAULT_CONNECTIONS = 1024

export const TOO_LARGE = 'SERVER_ERROR object too large for cache'

/** A connection that waits until others close. */
interface WaitingConnection {
  readonly start: () => void
  readonly isGone: () => boolean
}

export class MemcachedServer {
  readonly #options: StoreServerOptions
  readonly #host: StoreHost
  readonly #cache: Cache
  readonly #counters: Counters
  readonly #waiting: WaitingConnection[] = []

  constructor(options: StoreServerOptions, host: StoreHost) {
    const now = (): number => Math.floor(host.time.now())
    this.#options = options
    this.#host = host
    this.#cache = new Cache((options.maxMemoryMiB ?? DEFAULT_MEMORY_MIB) * 1024 * 1024, now)
    this.#counters = {
      startedAt: now(),
      connections: 0,
      totalConnections: 0,
      gets: 0,
      hits: 0,
      sets: 0,
      maxConnections: options.maxConnections ?? DEFAULT_CONNECTIONS,
    }
  }

  get maxItemBytes(): number {
    return this.#cache.maxItemBytes
  }

  /** Logs that the server listens. */
  announce(port: number): void {
    this.#options.log('info', `server listening (${port})`)
  }

  /** Calls `start` when the connection is served: at once, or when another one has closed. */
  admit(connection: WaitingConnection): void {
    if (this.#counters.connections < this.#counters.maxConnections) this.#serve(connection)
    else {
      this.#waiting.push(connection)
      this.#options.log('warn', 'Maximum number of connections reached')
    }
  }

  /** Must be called when a connection that was served has closed. */
  release(): void {
    this.#counters.connections -= 1
    this.#serveNext()
  }

  /** Returns the answer without its line end; undefined after `noreply`. */
  run(words: readonly string[], data: string): string | undefined {
    const { fails, onCommand } = this.#options
    const { time } = this.#host
    const startedAt = time.monotonic()
    const answer =
      fails?.(words[0]!) === true
        ? 'SERVER_ERROR internal error'
        : runCommand(this.#cache, words, data, this.#counters)
    const isFailure = answer !== undefined && /^(ERROR|CLIENT_ERROR|SERVER_ERROR)/.test(answer)
    onCommand(words[0]!, time.monotonic() - startedAt, isFailure ? answer : undefined)
    return answer
  }

  #serve(connection: WaitingConnection): void {
    if (connection.isGone()) {
      this.#serveNext()
      return
    }
    this.#counters.connections += 1
    this.#counters.totalConnections += 1
    connection.start()
  }

  #serveNext(): void {
    const next = this.#waiting.shift()
    if (next !== undefined) this.#serve(next)
  }
}
