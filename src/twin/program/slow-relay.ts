/** Stands before a data store and passes on late what is asked of it: a store of a slow release. */
import { connect, createServer, type Socket } from 'node:net'
import type { ListeningServer } from '../ports/index.ts'

/** In order, each part so long after it came. */
const passOnLate = (from: Socket, to: Socket, ms: number): void => {
  from.on('data', (part) => setTimeout(() => to.write(part), ms))
  from.on('end', () => setTimeout(() => to.end(), ms))
}

const endTogether = (one: Socket, other: Socket): void => {
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on('error', () => peer.destroy())
    socket.on('close', () => peer.destroy())
  }
}

/** Resolves when it listens. Closing it closes the store. */
export const startSlowRelay = (port: number, ms: number, store: ListeningServer): Promise<ListeningServer> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const inside = connect({ host: '127.0.0.1', port: store.port, allowHalfOpen: true, noDelay: true })
      sockets.add(client)
      client.on('close', () => sockets.delete(client))
      endTogether(client, inside)
      passOnLate(client, inside, ms)
      inside.pipe(client)
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
