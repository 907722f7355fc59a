/** The keep-alive connections of a simulated HTTP client, reused as the agent of Node.js reuses sockets. */
import type { ProgramConnection, ProgramHost } from '#spec'
import type { ClientOptions } from '#world/twin/ports'
import { HTTP_CLIENT_IDLE_MS } from '#world/twin/protocols'

const MAX_FREE_CONNECTIONS = 256

interface FreeConnection {
  readonly connection: ProgramConnection
  readonly since: number
}

export class HttpConnections {
  readonly #host: Pick<ProgramHost, 'network' | 'time'>
  readonly #address: ClientOptions['address']
  /** The last one is used first. */
  readonly #free: FreeConnection[] = []
  readonly #open = new Set<ProgramConnection>()

  constructor(host: Pick<ProgramHost, 'network' | 'time'>, address: ClientOptions['address']) {
    this.#host = host
    this.#address = address
  }

  /** Idle connections are closed here, so that they need no timers. */
  takeFree(): ProgramConnection | undefined {
    const idleSince = this.#host.time.monotonic() - HTTP_CLIENT_IDLE_MS
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (!free.connection.isClosed && free.since > idleSince) return free.connection
      this.discard(free.connection)
    }
    return undefined
  }

  async open(signal: AbortSignal | undefined): Promise<ProgramConnection> {
    const { host, port } = await this.#address()
    signal?.throwIfAborted()
    const connection = await this.#host.network.connect(host, port, signal)
    this.#open.add(connection)
    return connection
  }

  release(connection: ProgramConnection): void {
    if (connection.isClosed || !this.#open.has(connection) || this.#free.length >= MAX_FREE_CONNECTIONS)
      this.discard(connection)
    else this.#free.push({ connection, since: this.#host.time.monotonic() })
  }

  discard(connection: ProgramConnection): void {
    this.#open.delete(connection)
    connection.close()
  }

  close(): void {
    for (const connection of this.#open) connection.close()
    this.#open.clear()
    this.#free.length = 0
  }
}
