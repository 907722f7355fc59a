/** Serves a gym over HTTP and WebSockets, as OpenEnv clients expect. docs/gym.md describes it. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { type Clock, createRealClock } from '#kit'
import { RemediumError } from '#spec'
import type { Gym } from '../create-gym.ts'
import { handleHttp, MAX_BODY_BYTES } from './handle-http.ts'
import { createHttpSessions } from './http-sessions.ts'
import { serveWebSocket } from './serve-web-socket.ts'
import { openServedSession } from './served-session.ts'

export interface ServeOptions {
  readonly gym: Gym
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** A session without a message for this time ends. */
  readonly idleMs: number
  readonly clock?: Clock
  /** The interval of pings; a client that does not answer until the next one is cut off. */
  readonly pingMs?: number
}

export interface GymServer {
  readonly url: string
  /** Ends all connections. Does not close the gym. */
  close(): Promise<void>
}

const PING_MS = 30_000
/** Connections beyond the sessions, for /health and the like. */
const EXTRA_CONNECTIONS = 64
const REQUEST_TIMEOUT_MS = 30_000

/** Web pages of other sites must not use the server: browsers send their requests with the origin of that site. */
const isFromOtherSite = ({ headers: { origin, host } }: IncomingMessage): boolean => {
  if (origin === undefined) return false
  try {
    return new URL(origin).host !== host
  } catch {
    return true
  }
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** On a loopback address, only its own names are accepted: another site can make its name resolve to that address (DNS rebinding). */
const isForeignHost = ({ headers: { host = '' } }: IncomingMessage, boundTo: string): boolean =>
  ['127.0.0.1', '::1', 'localhost'].includes(boundTo) && !LOOPBACK_HOSTS.includes(host.replace(/:\d+$/, ''))

/** Pings all clients, and cuts off those that have not answered the last ping. */
const watchClients = (sockets: WebSocketServer, clock: Clock, pingMs: number): (() => void) => {
  const silent = new WeakSet<object>()
  sockets.on('connection', (socket) => socket.on('pong', () => silent.delete(socket)))
  let timer = clock.after(pingMs, function ping() {
    for (const socket of sockets.clients) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.ping()
      }
    }
    timer = clock.after(pingMs, ping)
  })
  return () => timer.cancel()
}

export const serveGym = async (options: ServeOptions): Promise<GymServer> => {
  const { gym, host, port, idleMs, clock = createRealClock(), pingMs = PING_MS } = options
  const open = (onEnd: (reason: string) => void) => openServedSession({ gym, clock, idleMs, onEnd })
  const sessions = createHttpSessions(open)
  const isRefused = (request: IncomingMessage): boolean =>
    isFromOtherSite(request) || isForeignHost(request, host)
  const server = createServer((request, response) => {
    if (isRefused(request)) response.writeHead(403, { connection: 'close' }).end()
    else void handleHttp(request, response, { gym, sessions })
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.maxConnections = gym.maxSessions * 2 + EXTRA_CONNECTIONS
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES })
  const stopWatching = watchClients(sockets, clock, pingMs)
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => {})
    const { pathname } = new URL(request.url ?? '/', 'http://gym')
    if (isRefused(request) || !['/ws', '/mcp'].includes(pathname)) {
      connection.end(
        `HTTP/1.1 ${isRefused(request) ? '403 Forbidden' : '404 Not Found'}\r\nConnection: close\r\n\r\n`,
      )
      return
    }
    sockets.handleUpgrade(request, connection, head, (socket) => {
      sockets.emit('connection', socket, request)
      serveWebSocket({ socket, protocol: pathname === '/mcp' ? 'mcp' : 'openenv', open, now: clock.now })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new RemediumError('bad-argument', `The gym cannot listen on ${host}:${port}: ${cause.message}.`, {
          cause,
        }),
      ),
    )
    server.listen(port, host, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    async close() {
      stopWatching()
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
