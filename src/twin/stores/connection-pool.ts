/** Connections to a store, kept open and lent to one call at a time. */
import { connect, type Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '../ports/index.ts'

export interface PooledConnection {
  /** Cannot be used any more. */
  readonly closed: boolean
  close(): void
}

/** Resolves when it is connected. Rejects with a CallFailure. */
export const openSocket = async (address: StoreClientOptions['address']): Promise<Socket> => {
  const { host, port } = await address().catch((error: unknown) => {
    throw toCallFailure(error)
  })
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    socket.once('error', (error) => reject(toCallFailure(error)))
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}

interface Waiter {
  readonly ready: () => void
  readonly failed: (failure: CallFailure) => void
}

const withTimeout = <T>(
  work: Promise<T>,
  timeoutMs: number | undefined,
  onTimeout: () => void,
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

export class ConnectionPool<C extends PooledConnection> {
  readonly #open: () => Promise<C>
  readonly #size: number
  readonly #waitMs: number | undefined
  readonly #idle: C[] = []
  readonly #waiters: Waiter[] = []
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
    let lent: C | undefined
    let late = false
    const run = async (): Promise<T> => {
      lent = await this.#take()
      try {
        if (late) throw new CallFailure('timeout', 'a connection came too late')
        return await work(lent)
      } finally {
        this.#giveBack(lent)
      }
    }
    return withTimeout(run(), timeoutMs, () => {
      late = true
      lent?.close()
    })
  }

  close(): void {
    this.#closed = true
    for (const connection of [...this.#idle, ...this.#lent]) connection.close()
    this.#idle.length = 0
    for (const { failed } of this.#waiters.splice(0)) failed(new CallFailure('reset', 'the pool is closed'))
  }

  async #take(): Promise<C> {
    for (;;) {
      if (this.#closed) throw new CallFailure('reset', 'the pool is closed')
      const found = this.#idle.pop()
      if (found !== undefined && !found.closed) return this.#lend(found)
      if (found !== undefined) this.#count -= 1
      else if (this.#count < this.#size) return this.#lend(await this.#make())
      else await this.#wait()
    }
  }

  #lend(connection: C): C {
    this.#lent.add(connection)
    return connection
  }

  async #make(): Promise<C> {
    this.#count += 1
    try {
      return await this.#open()
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

  #wake(): void {
    this.#waiters.shift()?.ready()
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ready: () => {
          clearTimeout(timer)
          resolve()
        },
        failed: (failure) => {
          clearTimeout(timer)
          reject(failure)
        },
      }
      const timer =
        this.#waitMs === undefined
          ? undefined
          : setTimeout(() => {
              this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
              reject(new CallFailure('pool', `no connection was free within ${this.#waitMs} ms`))
            }, this.#waitMs)
      this.#waiters.push(waiter)
    })
  }
}
