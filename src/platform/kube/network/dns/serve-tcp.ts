/** Serves DNS over TCP: length-prefixed messages, any number per connection. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Clock, Timer } from '#kit'

/** An idle connection is closed after this time. */
const IDLE_MS = 10_000
/** A connection whose client does not read the answers is closed above this backlog. */
const MAX_UNREAD_BYTES = 1 << 20

export interface TcpService {
  clock: Clock
  /** Called for connections that could not be accepted. */
  onError(error: unknown): void
  answer(query: Uint8Array, client: string): Buffer | undefined
}

const toFrame = (message: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

const serveConnection = (socket: Socket, { clock, answer }: TcpService): void => {
  const client = socket.remoteAddress ?? ''
  let received: Buffer = Buffer.alloc(0)
  let idleTimer: Timer | undefined
  const restartIdleTimer = (): void => {
    idleTimer?.cancel()
    idleTimer = clock.after(IDLE_MS, () => socket.destroy())
  }
  restartIdleTimer()
  socket.on('data', (chunk: Buffer) => {
    restartIdleTimer()
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    while (received.length >= 2) {
      const end = 2 + received.readUInt16BE(0)
      if (received.length < end) return
      const reply = answer(received.subarray(2, end), client)
      received = received.subarray(end)
      if (reply === undefined) {
        socket.destroy()
        return
      }
      socket.write(toFrame(reply))
      if (socket.writableLength > MAX_UNREAD_BYTES) {
        socket.destroy()
        return
      }
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => idleTimer?.cancel())
}

/** Takes over a listening descriptor; returns a function that closes it and all connections. */
export const serveTcp = (fd: number, service: TcpService): Promise<() => Promise<void>> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    const server: Server = createServer((socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      serveConnection(socket, service)
    })
    server.once('error', reject)
    server.listen({ fd }, () => {
      server.off('error', reject)
      server.on('error', service.onError)
      resolve(
        () =>
          new Promise((resolveClosed) => {
            server.close(() => resolveClosed())
            for (const socket of sockets) socket.destroy()
          }),
      )
    })
  })
