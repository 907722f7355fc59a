/** A pool of connections to a store; each serves one call at a time. */
import type { ProgramTime } from '#spec'
import { CallFailure, type StoreClientOptions, toCallFailure, withTimeLimit } from '#world/twin/ports'

export interface PooledConnection {
  /** True if the connection can no longer be used. */
  readonly closed: boolean
  close(): void
}

/** The failure of a call that got no answer in time. */
export const createTimeout = (timeoutMs: number | undefined): CallFailure =>
  new CallFailure('timeout', `no answer within ${timeoutMs} ms`)

/** A call that waits for a connection, or for permission to open one. */
interface Waiter<C> {
  grant(connection: C | undefined): void
  fail(failure: CallFailure): void
}

/** The connection of one call, which the timeout of the call closes. */
interface Lease<C> {
  connection?: C
  hasTimedOut: boolean
  /** Ends the wait for a connection. */
  stopWaiting?: () => void
}

export class ConnectionPool<C extends PooledConnection> {
  readonly #open: () => Promise<C>
  readonly #size: number
  readonly #waitMs: number | undefined
  readonly #time: Pick<ProgramTime, 'after'>
  readonly #idle: C[] = []
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter<C>>()
  readonly #inUse = new Set<C>()
  /** Number of connections: idle, in use or being opened. */
  #count = 0
  #closed = false

  constructor(
    options: Pick<StoreClientOptions, 'poolSize' | 'poolWaitMs'>,
    time: Pick<ProgramTime, 'after'>,
    open: () => Promise<C>,
  ) {
    this.#open = open
    this.#time = time
    this.#size = options.poolSize ?? Number.POSITIVE_INFINITY
    this.#waitMs = options.poolWaitMs
  }

  /**
   * Runs the work with a connection. Closes the connection if it is still in use at the timeout: otherwise
   * the next call would read the late answer as its own.
   */
  use<T>(work: (connection: C) => Promise<T>, timeoutMs?: number): Promise<T> {
    const lease: Lease<C> = { hasTimedOut: false }
    const run = async (): Promise<T> => {
      const connection = await this.#acquire(lease)
      lease.connection = connection
      try {
        if (lease.hasTimedOut) throw new CallFailure('timeout', 'the connection opened after the timeout')
        return await work(connection)
      } finally {
        delete lease.connection
        this.#release(connection)
      }
    }
    return withTimeLimit(this.#time, run(), timeoutMs, () => {
      lease.hasTimedOut = true
      lease.connection?.close()
      lease.stopWaiting?.()
      return createTimeout(timeoutMs)
    })
  }

  close(): void {
    this.#closed = true
    for (const connection of [...this.#idle, ...this.#inUse]) connection.close()
    this.#idle.length = 0
    for (const { fail } of [...this.#waiters]) fail(new CallFailure('reset', 'the pool is closed'))
  }

  async #acquire(lease: Lease<C>): Promise<C> {
    if (this.#closed) throw new CallFailure('reset', 'the pool is closed')
    const connection = this.#findIdle() ?? (this.#canOpen() ? await this.#openNew() : await this.#wait(lease))
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
  #wait(lease: Lease<C>): Promise<C> {
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        cancelTimeout?.()
        delete lease.stopWaiting
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
      const onPoolTimeout = (): void =>
        waiter.fail(new CallFailure('pool', `no connection was free within ${this.#waitMs} ms`))
      const cancelTimeout =
        this.#waitMs === undefined ? undefined : this.#time.after(this.#waitMs, onPoolTimeout)
      lease.stopWaiting = () => waiter.fail(new CallFailure('timeout', 'no connection was free in time'))
      this.#waiters.add(waiter)
    })
  }
}
