/** Keeps the connections of users to simulated programs alive, as the HTTP agent of Node.js keeps sockets. */
import type { Clock } from '#kit'
import type { ProgramConnection } from '#spec'
import { MAX_CONNECTION_AGE_MS, MAX_FREE_CONNECTIONS } from './connection-limits.ts'

const CLOSED = 'the client was closed'

/** A connection that one request uses. */
export interface Lease {
  readonly connection: ProgramConnection
  /** Whether an earlier request used it. */
  readonly isReused: boolean
  /** When the first request on it ended. */
  readonly since?: number
}

export interface ConnectionPool {
  /** Rejects with the error of the connection, or if the signal aborts. */
  acquire(origin: string, signal: AbortSignal): Promise<Lease>
  /** Returns the connection after a complete exchange. */
  release(origin: string, lease: Lease): void
  /** Closes the connection after a failed exchange, or if the server asked for that. */
  discard(origin: string, lease: Lease): void
  /** Closes all connections, and opens no more. */
  close(): void
}

export interface ConnectionPoolOptions {
  readonly clock: Clock
  /** The maximum number of connections to one origin; further requests wait in order. */
  readonly maxConnections: number
  connect(origin: string): Promise<ProgramConnection>
}

interface Waiting {
  /** Receives a free connection; undefined if the request may open one. */
  grant(lease: Lease | undefined): void
}

interface OriginState {
  /** The last one is used first. */
  readonly free: Lease[]
  readonly waiting: Waiting[]
  /** Connections that exist or are being opened. */
  count: number
}

export const createConnectionPool = (options: ConnectionPoolOptions): ConnectionPool => {
  const { clock, maxConnections } = options
  const origins = new Map<string, OriginState>()
  const connections = new Set<ProgramConnection>()
  let isClosed = false

  const stateOf = (origin: string): OriginState => {
    const existing = origins.get(origin)
    if (existing !== undefined) return existing
    const created: OriginState = { free: [], waiting: [], count: 0 }
    origins.set(origin, created)
    return created
  }

  const takeFree = (state: OriginState): Lease | undefined => {
    for (let lease = state.free.pop(); lease !== undefined; lease = state.free.pop()) {
      if (!lease.connection.isClosed) return { ...lease, isReused: true }
      connections.delete(lease.connection)
      state.count -= 1
    }
    return undefined
  }

  /** Frees the place of a connection that no longer exists. */
  const leave = (state: OriginState): void => {
    const next = state.waiting.shift()
    if (next === undefined) state.count -= 1
    else next.grant(undefined)
  }

  const discard = (origin: string, { connection }: Lease): void => {
    connections.delete(connection)
    connection.close()
    leave(stateOf(origin))
  }

  const release = (origin: string, lease: Lease): void => {
    const state = stateOf(origin)
    const { connection, since = clock.now() } = lease
    const returned: Lease = { connection, since, isReused: true }
    // Load balancing is per connection, so a long-lived connection would never reach new pods.
    const isOld = clock.now() - since >= MAX_CONNECTION_AGE_MS
    if (connection.isClosed) discard(origin, lease)
    else if (state.waiting.length > 0) state.waiting.shift()!.grant(returned)
    else if (isOld || state.free.length >= MAX_FREE_CONNECTIONS) discard(origin, lease)
    else state.free.push(returned)
  }

  const open = async (origin: string): Promise<Lease> => {
    try {
      const connection = await options.connect(origin)
      if (isClosed) {
        connection.close()
        throw new Error(CLOSED)
      }
      connections.add(connection)
      return { connection, isReused: false }
    } catch (error) {
      leave(stateOf(origin))
      throw error
    }
  }

  /** Resolves when it is the turn of the request; undefined if the signal aborted first. */
  const wait = (state: OriginState, signal: AbortSignal): Promise<{ lease: Lease | undefined } | undefined> =>
    new Promise((resolve) => {
      const waiting: Waiting = { grant: (lease) => resolve({ lease }) }
      state.waiting.push(waiting)
      const giveUp = (): void => {
        const index = state.waiting.indexOf(waiting)
        if (index === -1) return
        state.waiting.splice(index, 1)
        resolve(undefined)
      }
      signal.addEventListener('abort', giveUp, { once: true })
    })

  return {
    release,
    discard,
    async acquire(origin, signal) {
      if (isClosed) throw new Error(CLOSED)
      const state = stateOf(origin)
      const free = takeFree(state)
      if (free !== undefined) return free
      if (state.count < maxConnections) state.count += 1
      else {
        const turn = await wait(state, signal)
        if (turn === undefined) throw new Error('aborted')
        if (turn.lease !== undefined) return turn.lease
      }
      const lease = await open(origin)
      if (!signal.aborted) return lease
      // As in Node.js, a later request uses the connection.
      release(origin, lease)
      throw new Error('aborted')
    },
    close() {
      isClosed = true
      for (const connection of connections) connection.close()
    },
  }
}
