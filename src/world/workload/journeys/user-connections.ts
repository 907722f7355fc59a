/** The connections of users to one entry point of a simulated cluster, kept alive as the HTTP agent of Node.js keeps sockets. */
import type { Clock } from '#kit'
import type { ProgramConnection } from '#spec'
import { MAX_CONNECTION_AGE_MS, MAX_FREE_CONNECTIONS } from './connection-limits.ts'

const CLOSED = 'the client was closed'
const ABORTED = 'aborted'

/** A connection that one request uses. */
export interface Lease {
  readonly connection: ProgramConnection
  /** Whether an earlier request used it. */
  readonly isReused: boolean
  /** When the first request on it ended. */
  readonly since?: number
}

export interface UserConnections {
  /** Rejects with the error of the connection, or if the signal aborts. */
  acquire(signal: AbortSignal): Promise<Lease>
  /** Returns the connection after a complete exchange. */
  release(lease: Lease): void
  /** Closes the connection after a failed exchange, or if the server requested it. */
  discard(lease: Lease): void
  /** Closes all connections, and opens no more. */
  close(): void
}

export interface UserConnectionsOptions {
  readonly clock: Clock
  /** Further requests wait in order. */
  readonly maxConnections: number
  connect(): Promise<ProgramConnection>
}

/** Requests that wait for their turn. Each receives a free connection, or undefined if it may open one. */
const createQueue = () => {
  const waiting: ((lease: Lease | undefined) => void)[] = []
  return {
    /** Rejects if the signal aborts first. */
    wait: (signal: AbortSignal): Promise<Lease | undefined> =>
      new Promise((resolve, reject) => {
        waiting.push(resolve)
        const giveUp = (): void => {
          const index = waiting.indexOf(resolve)
          if (index === -1) return
          waiting.splice(index, 1)
          reject(new Error(ABORTED))
        }
        signal.addEventListener('abort', giveUp, { once: true })
      }),
    /** Returns false if no request waits. */
    serve(lease: Lease | undefined): boolean {
      const next = waiting.shift()
      next?.(lease)
      return next !== undefined
    },
  }
}

export const createUserConnections = (options: UserConnectionsOptions): UserConnections => {
  const { clock, maxConnections } = options
  /** The last one is used first. */
  const free: Lease[] = []
  const open = new Set<ProgramConnection>()
  const queue = createQueue()
  /** Connections that exist or are being opened. */
  let count = 0
  let isClosed = false

  const takeFree = (): Lease | undefined => {
    for (let lease = free.pop(); lease !== undefined; lease = free.pop()) {
      if (!lease.connection.isClosed) return lease
      open.delete(lease.connection)
      count -= 1
    }
    return undefined
  }
  const freeSlot = (): void => {
    if (!queue.serve(undefined)) count -= 1
  }
  const discard = ({ connection }: Lease): void => {
    open.delete(connection)
    connection.close()
    freeSlot()
  }
  const release = (lease: Lease): void => {
    const { connection, since = clock.now() } = lease
    const returned: Lease = { connection, since, isReused: true }
    // Load balancing is per connection, so a long-lived connection would never reach new pods.
    const isOld = clock.now() - since >= MAX_CONNECTION_AGE_MS
    if (connection.isClosed) discard(lease)
    else if (queue.serve(returned)) return
    else if (isOld || free.length >= MAX_FREE_CONNECTIONS) discard(lease)
    else free.push(returned)
  }
  const openConnection = async (): Promise<Lease> => {
    try {
      const connection = await options.connect()
      if (isClosed) {
        connection.close()
        throw new Error(CLOSED)
      }
      open.add(connection)
      return { connection, isReused: false }
    } catch (error) {
      freeSlot()
      throw error
    }
  }
  return {
    release,
    discard,
    async acquire(signal) {
      if (isClosed) throw new Error(CLOSED)
      let lease = takeFree()
      if (lease === undefined && count >= maxConnections) lease = await queue.wait(signal)
      else if (lease === undefined) count += 1
      lease ??= await openConnection()
      if (!signal.aborted) return lease
      // As in Node.js, a later request uses the connection.
      release(lease)
      throw new Error(ABORTED)
    },
    close() {
      isClosed = true
      for (const connection of open) connection.close()
    },
  }
}
