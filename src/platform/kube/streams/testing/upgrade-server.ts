/** For tests: an HTTP server that passes upgrade requests to a handler, and clients for it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Upgrade } from '../upgrade.ts'

export interface UpgradeServer {
  readonly port: number
  /** Resolves when all upgrades so far have ended. */
  idle(): Promise<unknown>
  [Symbol.asyncDispose](): Promise<void>
}

export const startUpgradeServer = async (
  serve: (upgrade: Upgrade) => Promise<void>,
): Promise<UpgradeServer> => {
  const sockets = new Set<{ destroy(): unknown }>()
  const served: Promise<void>[] = []
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket)
    served.push(serve({ request, socket, head }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    idle: () => Promise.all(served),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await Promise.all(served)
    },
  }
}

/** Sends an upgrade request; resolves with the socket and the head of the response (and the body of an error). */
export const requestUpgrade = async (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ response: string; socket: Socket }> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const lines = Object.entries({
    Host: 'localhost',
    Connection: 'Upgrade',
    'Content-Length': '0',
    ...headers,
  })
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  let response = ''
  while (!response.includes('\r\n\r\n')) response += String(((await once(socket, 'data')) as Buffer[])[0])
  return { response, socket }
}

export const requestSpdy = (
  port: number,
  path: string,
  protocols: string,
): Promise<{ response: string; socket: Socket }> =>
  requestUpgrade(port, path, { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocols })

/** Polls a condition in every turn of the event loop. */
export const until = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100_000; turn += 1) {
    if (condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the condition was never true')
}
