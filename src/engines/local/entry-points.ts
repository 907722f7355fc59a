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

/** As long as a kernel remembers a connection whose program has gone and which the other side keeps open. */
const LINGER_MS = 60_000

/** Both ways; each side may end its sending while the other goes on, though not in silence for ever. */
const join = (outer: Socket, inner: Socket): void => {
  outer.pipe(inner)
  inner.pipe(outer)
  for (const [one, other] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    one.on('error', () => other.resetAndDestroy())
    one.on('close', () => other.destroySoon())
    // Who has gone altogether looks the same from here as who only has nothing more to say.
    one.on('end', () => other.setTimeout(LINGER_MS, () => other.resetAndDestroy()))
  }
}

/** How long after the last word of a client a connection is still looked for: he may wait for the answer only. */
const LAST_WORD_MS = 1000
/** Of up to 64 KiB each. */
const MOST_EARLY_CHUNKS = 16

/**
 * Listens to a client before there is a way inside: only so it is seen that he has gone, and nothing goes on trying on
 * his behalf. Gives a function that ends this, and hands out what he has said.
 */
const listenEarly = (outer: Socket, onGone: () => void): (() => Buffer[]) => {
  const early: Buffer[] = []
  const keep = (chunk: Buffer): void => {
    early.push(chunk)
    if (early.length === MOST_EARLY_CHUNKS) outer.pause()
  }
  const waitBriefly = (): void => void outer.setTimeout(LAST_WORD_MS, onGone)
  outer.on('data', keep).once('end', waitBriefly).once('close', onGone)
  return () => {
    outer.off('data', keep).off('end', waitBriefly).off('close', onGone).off('timeout', onGone).setTimeout(0)
    return early
  }
}

const openDoor = async (
  entry: EntryPoint,
  { client, namespace }: DoorOptions,
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
    const gone = new AbortController()
    const takeEarly = listenEarly(outer, () => gone.abort())
    connectInside(namespace, address, entry.port, { signal: gone.signal }).then(
      (inner) => {
        for (const chunk of takeEarly()) inner.write(chunk)
        join(outer, inner)
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
