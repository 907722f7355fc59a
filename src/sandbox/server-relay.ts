/**
 * A network in which there is nothing but one server: this process listens inside at its very address and carries the
 * bytes, so that programs reach it as they would outside, and nothing else.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { Clock } from '../kit/index.ts'
import {
  createNetworkNamespace,
  LOOPBACK,
  listenInside,
  type NetworkNamespace,
  openRouteSocket,
} from '../linux/index.ts'
import type { ServerAddress } from './server-address.ts'

/** What comes faster waits: this process and the server have others to serve. */
const PACE_MS = 100
const BYTES_PER_PACE = 4 * 2 ** 20
const CONNECTIONS_PER_PACE = 10

export interface ServerRelay {
  /** Of the network namespace, for other programs. */
  readonly path: string
  /** Cuts all connections. */
  close(): void
}

const furnish = (namespace: NetworkNamespace, { inside }: ServerAddress): void => {
  const routes = openRouteSocket(namespace)
  try {
    routes.setUp(LOOPBACK)
    if (!inside.startsWith('127.')) routes.addAddress(LOOPBACK, inside)
  } finally {
    routes.close()
  }
}

/** So many at a time, then not before the next; over all connections of one sandbox. */
const createPace = (clock: Clock, most: number) => {
  const waiting: (() => void)[] = []
  let left = most
  let running = false
  const renew = (): void => {
    left = most
    running = false
    for (const go of waiting.splice(0)) go()
  }
  return {
    /** False: `later` is called when there is room again. */
    take(count: number, later: () => void): boolean {
      if (!running) clock.after(PACE_MS, renew)
      running = true
      if (left > 0) {
        left -= count
        return true
      }
      waiting.push(later)
      return false
    },
  }
}

/** Bytes go at the pace of the slower one; those from inside at most at ours. */
const join = (inner: Socket, outer: Socket, pace: ReturnType<typeof createPace>): void => {
  inner.on('data', (chunk: Buffer) => {
    const flows = outer.write(chunk)
    let paced = true
    const go = (): void => {
      paced = true
      if (!outer.writableNeedDrain) inner.resume()
    }
    paced = pace.take(chunk.length, go)
    if (!flows) outer.once('drain', () => paced && inner.resume())
    if (!flows || !paced) inner.pause()
  })
  inner.on('end', () => outer.end())
  outer.pipe(inner)
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroy())
  }
}

/** Throws where the machine does not allow it. */
export const createServerRelay = (
  address: ServerAddress,
  { connections, clock }: { connections: number; clock: Clock },
): ServerRelay => {
  const namespace = createNetworkNamespace()
  const open = new Set<Socket>()
  const bytes = createPace(clock, BYTES_PER_PACE)
  const beginnings = createPace(clock, CONNECTIONS_PER_PACE)
  const carry = (inner: Socket): void => {
    if (inner.destroyed) return
    const outer = connect({ host: address.host, port: address.port, allowHalfOpen: true, noDelay: true })
    open.add(outer)
    outer.once('close', () => open.delete(outer))
    join(inner, outer, bytes)
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => {
    open.add(inner)
    inner.on('error', () => {})
    inner.once('close', () => open.delete(inner))
    const begin = (): void => {
      if (beginnings.take(1, begin)) carry(inner)
    }
    begin()
  })
  server.maxConnections = connections
  server.on('error', () => {})
  try {
    furnish(namespace, address)
    server.listen({ fd: listenInside(namespace, address.inside, address.port) })
  } catch (error) {
    namespace.close()
    throw error
  }
  return {
    path: namespace.path,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
      namespace.close()
    },
  }
}
