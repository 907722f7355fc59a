/** Serves the API over TLS with client certificates; closes all connections on close. */
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '#kit'
import type { Authenticator, NodeDirectory } from '#platform/kube/ports'
import type { ApiService } from '../api-service.ts'
import { createHttpHandler, type HttpHandler } from './http-handler.ts'
import { createPathServer } from './path-server.ts'
import { createServerMetrics } from './server-metrics.ts'

export interface ApiServerOptions {
  service: ApiService
  authenticator: Authenticator
  nodes: NodeDirectory
  tls: { certificate: string; key: string; clientAuthority: string }
  host?: string
  /** 0 (the default) chooses a free port. */
  port?: number
  realClock: Clock
  onUnexpected(error: unknown): void
  /** Overrides of the default limits on client connections. */
  clientLimits?: Partial<ClientLimits>
}

/** Limits on slow or idle clients. */
export interface ClientLimits {
  /** The time limit of the TLS handshake, and then of receiving all headers. */
  headersTimeoutMs: number
  /** The time limit of receiving a whole request. */
  requestTimeoutMs: number
  /** The maximum time between two requests on a connection. */
  keepAliveTimeoutMs: number
  /** How often the first two timeouts are checked. */
  checkIntervalMs: number
  /** A watch or a long list is aborted if the client reads nothing for this long. */
  stalledWatchMs: number
  /** A watch is closed when the data that the client has not read yet exceeds this size. */
  watchBacklogBytes: number
}

export interface ApiServer {
  host: string
  port: number
  url: string
  /** Also serves on a listening socket, possibly of another network namespace; `close` closes it too. */
  serveOn(descriptor: number): Promise<void>
  /** Also serves sandboxes of agents on a listening socket that only they can reach; `close` closes it too. */
  serveSandboxesOn(descriptor: number): Promise<void>
  close(): Promise<void>
}

const DEFAULT_LIMITS: ClientLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 90_000,
  checkIntervalMs: 5000,
  stalledWatchMs: 60_000,
  watchBacklogBytes: 4 * 1024 * 1024,
}

/** The limit of a real server: selectors are part of the URL and can be long. */
const MAX_HEADER_BYTES = 1024 * 1024

/** Answers a client that sends invalid or incomplete HTTP, and closes the connection. */
const rejectConnection = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  // Before the end of the TLS handshake, no answer can be sent.
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

/** Rejects if the server cannot listen. Later errors concern single connections (EMFILE) and are only reported. */
const listen = (
  server: Server,
  address: ListenOptions | { fd: number },
  onError: (error: unknown) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      server.on('error', onError)
      resolve()
    })
  })

interface ServerParts {
  readonly options: ApiServerOptions
  readonly limits: ClientLimits
  readonly sockets: Set<Socket>
}

/** Creates a server that is not listening yet. */
const createTlsServer = (
  { options: { tls }, limits, sockets }: ServerParts,
  handler: HttpHandler,
): HttpsServer => {
  const server = createHttpsServer({
    cert: tls.certificate,
    key: tls.key,
    ca: tls.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    handshakeTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    shouldUpgradeCallback: handler.mayUpgrade,
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('request', handler.request)
  server.on('upgrade', (request, socket, head) => handler.upgrade({ request, socket, head }))
  server.on('clientError', rejectConnection)
  return server
}

export const createApiServer = async (options: ApiServerOptions): Promise<ApiServer> => {
  const { service, authenticator, nodes, realClock, onUnexpected, host = '127.0.0.1' } = options
  const limits = { ...DEFAULT_LIMITS, ...options.clientLimits }
  const metrics = createServerMetrics()
  let url = ''
  const paths = createPathServer(service, metrics, () => url.replace('https://', ''))
  const watchLimits = { backlogBytes: limits.watchBacklogBytes, stalledMs: limits.stalledWatchMs }
  const parts: ServerParts = { options, limits, sockets: new Set() }
  const serverFor = (isFromSandbox: boolean): HttpsServer =>
    createTlsServer(
      parts,
      createHttpHandler({
        ...{ service, authenticator, nodes, paths, metrics, realClock, watchLimits },
        isFromSandbox,
        onUnexpected,
      }),
    )
  const server = serverFor(false)
  await listen(server, { port: options.port ?? 0, host }, onUnexpected).catch((error: unknown) => {
    paths.close()
    throw error
  })
  const { port } = server.address() as AddressInfo
  url = `https://${host}:${port}`
  const otherListeners: Server[] = []
  return {
    host,
    port,
    url,
    async serveOn(descriptor) {
      const listener = createServer({ noDelay: true }, (socket) => server.emit('connection', socket))
      otherListeners.push(listener)
      await listen(listener, { fd: descriptor }, onUnexpected)
    },
    async serveSandboxesOn(descriptor) {
      const listener = serverFor(true)
      otherListeners.push(listener)
      await listen(listener, { fd: descriptor }, onUnexpected)
    },
    async close() {
      paths.close()
      const closed = [server, ...otherListeners].map(
        (listener) => new Promise<void>((resolve) => listener.close(() => resolve())),
      )
      for (const socket of parts.sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}
