/** The listening side of a store: takes connections, and lets them all go in the end. */
import { createServer, type Socket } from 'node:net'
import type { ListeningServer } from '../ports/index.ts'

/** What is on its way is done by then; clients of stores never hang up by themselves. */
const LONGEST_GRACE_MS = 200

/** Resolves when it listens; port 0 is any free one. */
export const listen = (
  port: number,
  onSocket: (socket: Socket) => void,
  host?: string,
): Promise<ListeningServer> => {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // What a broken connection means is told by its end, which always follows.
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  const close = (graceMs = 0): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          for (const socket of sockets) socket.destroy()
        },
        Math.min(graceMs, LONGEST_GRACE_MS),
      )
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  return new Promise((resolve, reject) => {
    // Later ones are about connections that could not be taken, for want of descriptors: others go on.
    server.on('error', reject)
    server.listen({ port, host }, () => {
      const bound = server.address() as { port: number }
      resolve({ port: bound.port, close })
    })
  })
}
