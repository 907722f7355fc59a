/** A pool of connections to a store; each serves one call at a time. */
import { connect, type Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '#world/twin/ports'

export interface PooledConnection {
  /** True if the connection can no longer be used. */
  readonly closed: boolean
  close(): void
}

export type SocketOptions = Pick<StoreClientOptions, 'address' | 'connect'>

/**
 * Resolves when the socket is connected. Rejects with a CallFailure; its kind is `timeout` if the signal
 * aborts.
 */
export const openSocket = async (
  { address, connect: open }: SocketOptions,
  signal?: AbortSignal,
): Promise<Socket> => {
  if (open !== undefined) return open()
  const { host, port } = await address().catch((error: unknown) => {
    throw toCallFailure(error)
  })
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    const onAbort = (): void => {
      socket.destroy(new CallFailure('timeout', `connect ETIMEDOUT ${host}:${port}`))
    }
    socket.once('error', (error) => {
      signal?.removeEventListener('abort', onAbort)
      reject(toCallFailure(error))
    })
    socket.once('connect', () => {
      signal?.removeEventListener('abort', onAbort)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort)
  })
}

/** Rejects after the timeout and then calls `onTimeout`, which stops the pending work. */
export const withTimeout = <T>(
  work: Promise<T>,
  timeoutMs: number | undefined,
  onTimeout: () => void = () => undefined,
): Promise<T> => {
  if (timeoutMs === undefined) return work
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CallFailure('timeout', `no answer within ${timeoutMs} ms`))
      onTimeout()
    }, timeoutMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A call that waits for a connection, or for permission to open one. */
interface Waiter<C> {
  grant(connection: C | undefined): void
  fail(failure: CallFailure): void
}

export class ConnectionPool<C extends PooledConnection> {
  readonly #open: () => Promise<C>
  readonly #size: number
  readonly #waitMs: number | undefined
  readonly #idle: C[] = []
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter<C>>()
  readonly #inUse = new Set<C>()
  /** Number of connections: idle, in use or being opened. */
  #count = 0
  #closed = false

  constructor(options: StoreClientOptions, open: () => Promise<C>) {
    this.#open = open
    this.#size = options.poolSize ?? Number.POSITIVE_INFINITY
    this.#waitMs = options.poolWaitMs
  }

  /**
   * Runs the work with a connection. Closes the connection if it is still in use at the timeout: otherwise
   * the next call would read the late answer as its own.
   */
  use<T>(work: (connection: C) => Promise<T>, timeoutMs?: number): Promise<T> {
    const timeout = new AbortController()
    const run = async (): Promise<T> => {
      const connection = await this.#acquire(timeout.signal)
      const close = (): void => connection.close()
      timeout.signal.addEventListener('abort', close)
      try {
        if (timeout.signal.aborted)
          throw new CallFailure('timeout', 'the connection opened after the timeout')
        return await work(connection)
      } finally {
        timeout.signal.removeEventListener('abort', close)
        this.#release(connection)
      }
    }
    return withTimeout(run(), timeoutMs, () => timeout.abort())
  }

  close(): void {
    this.#closed = true
    for (const connection of [...this.#idle, ...this.#inUse]) connection.close()
    this.#idle.length = 0
    for (const { fail } of [...this.#waiters]) fail(new CallFailure('reset', 'the pool is closed'))
  }

  async #acquire(signal: AbortSignal): Promise<C> {
    if (this.#closed) throw new CallFailure('reset', 'the pool is closed')
    const connection =
      this.#findIdle() ?? (this.#canOpen() ? await this.#openNew() : await this.#wait(signal))
    this.#inUse.add(connection)
    return connection
  }

  /** Returns the most recently used idle connection that is still open. */
  #findIdle(): C | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (!connection.closed) return connection
      this.#count -= 1
    }
    return undefined
  }

  #canOpen(): boolean {
    return this.#count < this.#size
  }

  async #openNew(): Promise<C> {
    this.#count += 1
    try {
      const opened = await this.#open()
      if (!this.#closed) return opened
      opened.close()
      throw new CallFailure('reset', 'the pool is closed')
    } catch (error) {
      this.#count -= 1
      this.#wake()
      throw toCallFailure(error)
    }
  }

  #release(connection: C): void {
    this.#inUse.delete(connection)
    if (this.#closed) connection.close()
    if (connection.closed) this.#count -= 1
    else this.#idle.push(connection)
    this.#wake()
  }

  /** Serves the call that has waited longest. */
  #wake(): void {
    const [first] = this.#waiters
    if (first === undefined) return
    const idle = this.#findIdle()
    if (idle !== undefined || this.#canOpen()) first.grant(idle)
  }

  /** Waits until a connection is released, or until one may be opened because another was lost. */
  #wait(signal: AbortSignal): Promise<C> {
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter<C> = {
        grant: (connection) => {
          stopWaiting()
          // Counts the connection before it is open, so that other calls do not exceed the pool size.
          if (connection === undefined) this.#openNew().then(resolve, reject)
          else resolve(connection)
        },
        fail: (failure) => {
          stopWaiting()
          reject(failure)
        },
      }
      const onAbort = (): void => waiter.fail(new CallFailure('timeout', 'no connection was free in time'))
      const onPoolTimeout = (): void =>
        waiter.fail(new CallFailure('pool', `no connection was free within ${this.#waitMs} ms`))
      const timer = this.#waitMs === undefined ? undefined : setTimeout(onPoolTimeout, this.#waitMs)
      signal.addEventListener('abort', onAbort)
      this.#waiters.add(waiter)
    })
  }
}
