/** Doors on the host's loopback that lead to Services inside a cluster. */
import { createServer, type Server, type Socket } from 'node:net'
import { type Client, services } from '../../kube/index.ts'
import { connectInside, type NetworkNamespace } from '../../linux/index.ts'
import type { EntryPoint, OpenEntryPoint } from '../../spec/index.ts'

export interface EntryPoints {
  readonly open: readonly OpenEntryPoint[]
  close(): Promise<void>
}

interface DoorOptions {
  client: Client
  namespace: NetworkNamespace
}

/** Looked up for every connection, because the Service may have been made anew. */
const addressOf = (client: Client, { namespace, service }: EntryPoint): string | undefined => {
  const address = client.get(services, namespace, service)?.spec.clusterIP
  return address === undefined || address === 'None' ? undefined : address
}

/** Both ways; each side may end its sending while the other goes on. */
const join = (outer: Socket, inner: Socket): void => {
  outer.pipe(inner)
  inner.pipe(outer)
  for (const [one, other] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    one.on('error', () => other.resetAndDestroy())
    one.on('close', () => other.destroySoon())
  }
}

const openDoor = async (
  entry: EntryPoint,
  { client, namespace }: DoorOptions,
): Promise<[OpenEntryPoint, Server, Set<Socket>]> => {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (outer) => {
    const gone = new AbortController()
    const giveUp = (): void => gone.abort()
    sockets.add(outer)
    outer.on('error', () => {})
    outer.on('close', () => sockets.delete(outer))
    outer.once('close', giveUp)
    const address = addressOf(client, entry)
    if (address === undefined) {
      outer.resetAndDestroy()
      return
    }
    connectInside(namespace, address, entry.port, { signal: gone.signal }).then(
      (inner) => {
        outer.off('close', giveUp)
        join(outer, inner)
        outer.resume()
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
  options: DoorOptions,
): Promise<EntryPoints> => {
  const doors = await Promise.all(entries.map((entry) => openDoor(entry, options)))
  return {
    open: doors.map(([open]) => open),
    async close() {
      await Promise.all(
        doors.map(
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
