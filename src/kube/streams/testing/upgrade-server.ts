/** An HTTP server for tests that hands every upgrade request to one handler, and clients that ask it for one. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Upgrade } from '../upgrade.ts'

export interface UpgradeServer {
  readonly port: number
  /** Settles when every upgrade served so far is over. */
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

/** Sends an upgrade request; gives back the answer's head (with a body, if it was refused) and the socket. */
export const requestUpgrade = async (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ answer: string; socket: Socket }> => {
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
  let answer = ''
  while (!answer.includes('\r\n\r\n')) answer += String(((await once(socket, 'data')) as Buffer[])[0])
  return { answer, socket }
}

export const requestSpdy = (
  port: number,
  path: string,
  protocols: string,
): Promise<{ answer: string; socket: Socket }> =>
  requestUpgrade(port, path, { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocols })

/** Waits, in turns of the event loop, until a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100_000; turn += 1) {
    if (holds()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the condition never held')
}
