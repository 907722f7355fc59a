/** Listens for connections to a store and closes all of them at the end. */
import { createServer, type Socket } from 'node:net'
import type { ListeningServer } from '#world/twin/ports'

/** Long enough for active requests. Without a limit, idle connections of clients would delay the exit. */
const MAX_GRACE_MS = 200

/** Resolves when the server listens; port 0 selects a free port. */
export const listen = (
  port: number,
  onSocket: (socket: Socket) => void,
  host?: string,
): Promise<ListeningServer> => {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Every error is followed by a `close` event, which the store handles.
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  const close = (graceMs = 0): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          for (const socket of sockets) socket.destroy()
        },
        Math.min(graceMs, MAX_GRACE_MS),
      )
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  return new Promise((resolve, reject) => {
    // Later errors concern single connections (for example, no free file descriptors): the server keeps
    // running.
    server.on('error', reject)
    server.listen({ port, host }, () => {
      const bound = server.address() as { port: number }
      resolve({ port: bound.port, close })
    })
  })
}
