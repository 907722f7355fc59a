/**
 * A network namespace with only one server. This process listens at the server's address inside and relays the bytes, so
 * that programs reach the server as usual, and nothing else.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { Clock } from '#kit'
import {
  createNetworkNamespace,
  LOOPBACK,
  listenInside,
  type NetworkNamespace,
  openRouteSocket,
} from '#machine/linux'
import type { ServerAddress } from './server-address.ts'

/** The period of the rate limits, which protect this process and the server. */
const PERIOD_MS = 100
const BYTES_PER_PERIOD = 4 * 2 ** 20
const CONNECTIONS_PER_PERIOD = 10

export interface ServerRelay {
  /** The path of the network namespace. */
  readonly path: string
  /** Closes all connections. */
  close(): void
}

const configureNetwork = (namespace: NetworkNamespace, { inside }: ServerAddress): void => {
  const routes = openRouteSocket(namespace)
  try {
    routes.setUp(LOOPBACK)
    if (!inside.startsWith('127.')) routes.addAddress(LOOPBACK, inside)
  } finally {
    routes.close()
  }
}

/** Creates a rate limit for all connections of one sandbox together. */
const createRateLimit = (clock: Clock, max: number) => {
  const waiting: (() => void)[] = []
  let remaining = max
  let running = false
  const renew = (): void => {
    remaining = max
    running = false
    for (const resume of waiting.splice(0)) resume()
  }
  return {
    /** Returns false above the limit, and calls `retry` in the next period. */
    spend(count: number, retry: () => void): boolean {
      if (!running) clock.after(PERIOD_MS, renew)
      running = true
      if (remaining > 0) {
        remaining -= count
        return true
      }
      waiting.push(retry)
      return false
    },
  }
}

/** Relays bytes with back-pressure; bytes from inside are rate-limited. */
const connectSockets = (
  inner: Socket,
  outer: Socket,
  rateLimit: ReturnType<typeof createRateLimit>,
): void => {
  inner.on('data', (chunk: Buffer) => {
    const canWriteMore = outer.write(chunk)
    let isWithinLimit = true
    const resumeReading = (): void => {
      isWithinLimit = true
      if (!outer.writableNeedDrain) inner.resume()
    }
    isWithinLimit = rateLimit.spend(chunk.length, resumeReading)
    if (!canWriteMore) outer.once('drain', () => isWithinLimit && inner.resume())
    if (!canWriteMore || !isWithinLimit) inner.pause()
  })
  inner.on('end', () => outer.end())
  outer.pipe(inner)
  for (const [socket, peer] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    socket.on('error', () => {})
    socket.on('close', () => peer.destroy())
  }
}

export interface RelayOptions {
  readonly connections: number
  readonly clock: Clock
  /** Connects to the server; to its address by default. */
  readonly dial?: (() => Promise<Socket>) | undefined
}

const dialServer = async ({ host, port }: ServerAddress): Promise<Socket> =>
  connect({ host, port, allowHalfOpen: true, noDelay: true })

/** Throws if the machine does not permit network namespaces. */
export const createServerRelay = (
  address: ServerAddress,
  { connections, clock, dial = () => dialServer(address) }: RelayOptions,
): ServerRelay => {
  const namespace = createNetworkNamespace()
  const openSockets = new Set<Socket>()
  const byteLimit = createRateLimit(clock, BYTES_PER_PERIOD)
  const connectionLimit = createRateLimit(clock, CONNECTIONS_PER_PERIOD)
  let isClosed = false
  const relay = (inner: Socket): void => {
    if (inner.destroyed) return
    dial().then(
      (outer) => {
        openSockets.add(outer)
        outer.once('close', () => openSockets.delete(outer))
        if (isClosed || inner.destroyed) outer.destroy()
        else connectSockets(inner, outer, byteLimit)
      },
      () => inner.destroy(),
    )
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => {
    openSockets.add(inner)
    inner.on('error', () => {})
    inner.once('close', () => openSockets.delete(inner))
    const startRelay = (): void => {
      if (connectionLimit.spend(1, startRelay)) relay(inner)
    }
    startRelay()
  })
  server.maxConnections = connections
  server.on('error', () => {})
  try {
    configureNetwork(namespace, address)
    server.listen({ fd: listenInside(namespace, address.inside, address.port) })
  } catch (error) {
    namespace.close()
    throw error
  }
  return {
    path: namespace.path,
    close() {
      isClosed = true
      server.close()
      for (const socket of openSockets) socket.destroy()
      namespace.close()
    },
  }
}
