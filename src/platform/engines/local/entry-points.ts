/** Opens local ports of the host that forward to Services inside a cluster. */
import { createServer, type Server, type Socket } from 'node:net'
import { connectInside, type NetworkNamespace } from '#machine/linux'
import { type Client, services } from '#platform/kube'
import type { EntryPoint, OpenEntryPoint } from '#spec'

export interface EntryPoints {
  readonly open: readonly OpenEntryPoint[]
  close(): Promise<void>
}

interface EntryPointOptions {
  client: Client
  namespace: NetworkNamespace
}

/** Looked up for every connection, because the Service may have been recreated. */
const addressOf = (client: Client, { namespace, service }: EntryPoint): string | undefined => {
  const address = client.get(services, namespace, service)?.spec.clusterIP
  return address === undefined || address === 'None' ? undefined : address
}

/** The time for which a kernel keeps a half-closed connection without a process. */
const LINGER_TIMEOUT_MS = 60_000

/** Forwards in both directions. A half-closed connection is reset after a timeout without data. */
const joinSockets = (outer: Socket, inner: Socket): void => {
  outer.pipe(inner)
  inner.pipe(outer)
  for (const [socket, peer] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    socket.on('error', () => peer.resetAndDestroy())
    socket.on('close', () => peer.destroySoon())
    // A client that has disconnected cannot be distinguished from one that has only finished sending.
    socket.on('end', () => peer.setTimeout(LINGER_TIMEOUT_MS, () => peer.resetAndDestroy()))
  }
}

/** How long a connection attempt continues after the client has finished sending: the client may still wait for a response. */
const HALF_CLOSED_TIMEOUT_MS = 1000
/** Chunks have up to 64 KiB. */
const MAX_EARLY_CHUNKS = 16

/**
 * Reads from a client before the inner connection exists, to detect that the client disconnects. Returns a function that
 * stops reading and returns the received chunks.
 */
const bufferUntilConnected = (outer: Socket, onDisconnect: () => void): (() => Buffer[]) => {
  const received: Buffer[] = []
  const collect = (chunk: Buffer): void => {
    received.push(chunk)
    if (received.length === MAX_EARLY_CHUNKS) outer.pause()
  }
  const waitBriefly = (): void => void outer.setTimeout(HALF_CLOSED_TIMEOUT_MS, onDisconnect)
  outer.on('data', collect).once('end', waitBriefly).once('close', onDisconnect)
  return () => {
    outer
      .off('data', collect)
      .off('end', waitBriefly)
      .off('close', onDisconnect)
      .off('timeout', onDisconnect)
      .setTimeout(0)
    return received
  }
}

const openEntryPoint = async (
  entry: EntryPoint,
  { client, namespace }: EntryPointOptions,
): Promise<[OpenEntryPoint, Server, Set<Socket>]> => {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (outer) => {
    sockets.add(outer)
    outer.on('error', () => {})
    outer.on('close', () => sockets.delete(outer))
    const address = addressOf(client, entry)
    if (address === undefined) {
      outer.resetAndDestroy()
      return
    }
    const controller = new AbortController()
    const takeReceived = bufferUntilConnected(outer, () => controller.abort())
    connectInside(namespace, address, entry.port, { signal: controller.signal }).then(
      (inner) => {
        for (const chunk of takeReceived()) inner.write(chunk)
        joinSockets(outer, inner)
      },
      () => outer.resetAndDestroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  return [{ name: entry.name, url: `http://127.0.0.1:${port}${entry.path ?? '/'}` }, server, sockets]
}

export const openEntryPoints = async (
  entries: readonly EntryPoint[],
  options: EntryPointOptions,
): Promise<EntryPoints> => {
  const opened = await Promise.all(entries.map((entry) => openEntryPoint(entry, options)))
  return {
    open: opened.map(([open]) => open),
    async close() {
      await Promise.all(
        opened.map(
          ([, server, sockets]) =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              for (const socket of sockets) socket.destroy()
            }),
        ),
      )
    },
  }
}
