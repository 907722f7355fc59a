/** A TCP relay that delays requests to a data store, for slow releases. */
import { connect, createServer, type Socket } from 'node:net'
import type { ListeningServer } from '#world/twin/ports'

/** Forwards each chunk `ms` later, in order. */
const forwardDelayed = (from: Socket, to: Socket, ms: number): void => {
  from.on('data', (part) => setTimeout(() => to.write(part), ms))
  from.on('end', () => setTimeout(() => to.end(), ms))
}

const linkSockets = (a: Socket, b: Socket): void => {
  for (const [socket, peer] of [
    [a, b],
    [b, a],
  ] as const) {
    socket.on('error', () => peer.destroy())
    socket.on('close', () => peer.destroy())
  }
}

/** Resolves when the relay listens. Closing it closes the store. */
export const startSlowRelay = (port: number, ms: number, store: ListeningServer): Promise<ListeningServer> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const upstream = connect({ host: '127.0.0.1', port: store.port, allowHalfOpen: true, noDelay: true })
      sockets.add(client)
      client.on('close', () => sockets.delete(client))
      linkSockets(client, upstream)
      forwardDelayed(client, upstream, ms)
      upstream.pipe(client)
    })
    server.once('error', reject)
    server.listen(port, () =>
      resolve({
        port: (server.address() as { port: number }).port,
        close: async (graceMs) => {
          server.close()
          await store.close(graceMs)
          for (const socket of sockets) socket.destroy()
        },
      }),
    )
  })
