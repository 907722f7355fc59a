/** Connections to a store, kept open and lent to one call at a time. */
import { connect, type Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '../ports/index.ts'

export interface PooledConnection {
  /** Cannot be used any more. */
  readonly closed: boolean
  close(): void
}

/** Resolves when it is connected. Rejects with a CallFailure; `given up` where the signal says so before. */
export const openSocket = async (
  address: StoreClientOptions['address'],
  signal?: AbortSignal,
): Promise<Socket> => {
  const { host, port } = await address().catch((error: unknown) => {
    throw toCallFailure(error)
  })
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    const giveUp = (): void => {
      socket.destroy(new CallFailure('timeout', `connect ETIMEDOUT ${host}:${port}`))
    }
    socket.once('error', (error) => {
      signal?.removeEventListener('abort', giveUp)
      reject(toCallFailure(error))
    })
    socket.once('connect', () => {
      signal?.removeEventListener('abort', giveUp)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp)
  })
}

/** Rejects when the time is over, and then does what has to be done about the work that still goes on. */
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

/** One who waits for a connection, or for the right to make one. */
interface Waiter<C> {
  go(connection: C | undefined): void
  fail(failure: CallFailure): void
}

export class ConnectionPool<C extends PooledConnection> {
  readonly #open: () => Promise<C>
  readonly #size: number
  readonly #waitMs: number | undefined
  readonly #idle: C[] = []
  /** In the order in which they came. */
  readonly #waiters = new Set<Waiter<C>>()
  readonly #lent = new Set<C>()
  /** Open, opening, or lent. */
  #count = 0
  #closed = false

  constructor(options: StoreClientOptions, open: () => Promise<C>) {
    this.#open = open
    this.#size = options.poolSize ?? Number.POSITIVE_INFINITY
    this.#waitMs = options.poolWaitMs
  }

  /** A connection that is still used when the time is over is closed: its answer would be taken for another's. */
  use<T>(work: (connection: C) => Promise<T>, timeoutMs?: number): Promise<T> {
    const late = new AbortController()
    const run = async (): Promise<T> => {
      const lent = await this.#take(late.signal)
      const close = (): void => lent.close()
      late.signal.addEventListener('abort', close)
      try {
        if (late.signal.aborted) throw new CallFailure('timeout', 'a connection came too late')
        return await work(lent)
      } finally {
        late.signal.removeEventListener('abort', close)
        this.#giveBack(lent)
      }
    }
    return withTimeout(run(), timeoutMs, () => late.abort())
  }

  close(): void {
    this.#closed = true
    for (const connection of [...this.#idle, ...this.#lent]) connection.close()
    this.#idle.length = 0
    for (const { fail } of [...this.#waiters]) fail(new CallFailure('reset', 'the pool is closed'))
  }

  async #take(signal: AbortSignal): Promise<C> {
    if (this.#closed) throw new CallFailure('reset', 'the pool is closed')
    const found = this.#findIdle() ?? (this.#mayMake() ? await this.#make() : await this.#wait(signal))
    this.#lent.add(found)
    return found
  }

  /** The last one used, of those that still live. */
  #findIdle(): C | undefined {
    for (let found = this.#idle.pop(); found !== undefined; found = this.#idle.pop()) {
      if (!found.closed) return found
      this.#count -= 1
    }
    return undefined
  }

  #mayMake(): boolean {
    return this.#count < this.#size
  }

  async #make(): Promise<C> {
    this.#count += 1
    try {
      const made = await this.#open()
      if (!this.#closed) return made
      made.close()
      throw new CallFailure('reset', 'the pool is closed')
    } catch (error) {
      this.#count -= 1
      this.#wake()
      throw toCallFailure(error)
    }
  }

  #giveBack(connection: C): void {
    this.#lent.delete(connection)
    if (this.#closed) connection.close()
    if (connection.closed) this.#count -= 1
    else this.#idle.push(connection)
    this.#wake()
  }

  /** The first who waits gets what there is, before anybody who comes now. */
  #wake(): void {
    const [first] = this.#waiters
    if (first === undefined) return
    const idle = this.#findIdle()
    if (idle !== undefined || this.#mayMake()) first.go(idle)
  }

  /** A connection that was given back, or one made in the place of a lost one. */
  #wait(signal: AbortSignal): Promise<C> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter<C> = {
        go: (connection) => {
          end()
          // Taken from now on, so that nobody else makes one too many before this one has.
          if (connection === undefined) this.#make().then(resolve, reject)
          else resolve(connection)
        },
        fail: (failure) => {
          end()
          reject(failure)
        },
      }
      const giveUp = (): void => waiter.fail(new CallFailure('timeout', 'no connection was free in time'))
      const full = (): void =>
        waiter.fail(new CallFailure('pool', `no connection was free within ${this.#waitMs} ms`))
      const timer = this.#waitMs === undefined ? undefined : setTimeout(full, this.#waitMs)
      signal.addEventListener('abort', giveUp)
      this.#waiters.add(waiter)
    })
  }
}
