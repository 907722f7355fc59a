/** The API server on a socket: TLS, client certificates, and connections that are all closed at the end. */
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../kit/index.ts'
import type { Authenticator, NodeDirectory } from '../ports/index.ts'
import type { ApiService } from './api-service.ts'
import { createHttpHandler } from './http-handler.ts'
import { createPathServer } from './serve-path.ts'
import { createServerMetrics } from './server-metrics.ts'

export interface ApiServerOptions {
  service: ApiService
  authenticator: Authenticator
  nodes: NodeDirectory
  tls: { certificate: string; key: string; clientAuthority: string }
  host?: string
  /** 0, the default, takes any free port. */
  port?: number
  realClock: Clock
  onUnexpected(error: unknown): void
  /** How patient the server is with its clients; what is left out stays at what suits a cluster. */
  patience?: Partial<Patience>
}

/** In milliseconds, but for the bytes. */
export interface Patience {
  /** To agree on a key and send all headers. */
  headers: number
  /** To send a whole request. */
  request: number
  /** Between two requests on one connection. */
  idle: number
  /** How often the first two are looked after. */
  check: number
  /** A watching client may take nothing for so long, and let so much pile up. */
  stalledWatch: number
  watchBacklogBytes: number
}

export interface ApiServer {
  host: string
  port: number
  url: string
  /** Serves the same on a socket that listens already, in whatever network; it is closed with the rest. */
  serveOn(descriptor: number): Promise<void>
  close(): Promise<void>
}

const PATIENCE: Patience = {
  headers: 15_000,
  request: 60_000,
  idle: 90_000,
  check: 5000,
  stalledWatch: 60_000,
  watchBacklogBytes: 4 * 1024 * 1024,
}

/** As much as a real server takes: selectors travel in the URL, and can be long. */
const MAX_HEADER_BYTES = 1024 * 1024

/** What a client gets that speaks no proper HTTP. */
const refuseConnection = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  // Whoever got no further than half a handshake cannot be told anything.
  if (!socket.writable || !/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) {
    socket.destroy()
    return
  }
  const line =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  const head = `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`
  socket.end(`${head}${line}`, () => socket.destroy())
}

/** Later errors are of single connections, as when there are no descriptors left: the server goes on. */
const listening = (
  server: Server,
  place: ListenOptions | { fd: number },
  onError: (error: unknown) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, () => {
      server.off('error', reject)
      server.on('error', onError)
      resolve()
    })
  })

export const createApiServer = async (options: ApiServerOptions): Promise<ApiServer> => {
  const { service, host = '127.0.0.1', tls } = options
  const patience = { ...PATIENCE, ...options.patience }
  const metrics = createServerMetrics()
  let url = ''
  const paths = createPathServer(service, metrics, () => url.replace('https://', ''))
  const handler = createHttpHandler({
    service,
    authenticator: options.authenticator,
    nodes: options.nodes,
    paths,
    metrics,
    realClock: options.realClock,
    watchLimits: { backlogBytes: patience.watchBacklogBytes, stalledMs: patience.stalledWatch },
    onUnexpected: options.onUnexpected,
  })
  const server = createHttpsServer({
    cert: tls.certificate,
    key: tls.key,
    ca: tls.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    handshakeTimeout: patience.headers,
    connectionsCheckingInterval: patience.check,
    maxHeaderSize: MAX_HEADER_BYTES,
    shouldUpgradeCallback: handler.mayUpgrade,
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('request', handler.request)
  server.on('upgrade', (request, socket, head) => handler.upgrade({ request, socket, head }))
  server.on('clientError', refuseConnection)
  await listening(server, { port: options.port ?? 0, host }, options.onUnexpected).catch((error: unknown) => {
    paths.close()
    throw error
  })
  const { port } = server.address() as AddressInfo
  url = `https://${host}:${port}`
  const others: Server[] = []
  return {
    host,
    port,
    url,
    async serveOn(descriptor) {
      const other = createServer({ noDelay: true }, (socket) => server.emit('connection', socket))
      others.push(other)
      await listening(other, { fd: descriptor }, options.onUnexpected)
    },
    async close() {
      paths.close()
      const closed = [server, ...others].map(
        (each) => new Promise<void>((resolve) => each.close(() => resolve())),
      )
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}
