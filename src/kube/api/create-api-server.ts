/** The API server on a socket: TLS, client certificates, and connections that are all closed at the end. */
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
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
}

export interface ApiServer {
  host: string
  port: number
  url: string
  close(): Promise<void>
}

/** A client gets this long to send its headers, and this long for a whole request. */
const HEADERS_TIMEOUT = 15_000
const REQUEST_TIMEOUT = 60_000
const IDLE_TIMEOUT = 90_000

export const createApiServer = async (options: ApiServerOptions): Promise<ApiServer> => {
  const { service, host = '127.0.0.1', tls } = options
  const metrics = createServerMetrics()
  let url = ''
  const handler = createHttpHandler({
    service,
    authenticator: options.authenticator,
    nodes: options.nodes,
    paths: createPathServer(service, metrics, () => url.replace('https://', '')),
    metrics,
    realClock: options.realClock,
    onUnexpected: options.onUnexpected,
  })
  const server = createHttpsServer({
    cert: tls.certificate,
    key: tls.key,
    ca: tls.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: IDLE_TIMEOUT,
    handshakeTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: 5000,
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('request', handler.request)
  server.on('upgrade', (request, socket, head) => handler.upgrade({ request, socket, head }))
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  url = `https://${host}:${port}`
  return {
    host,
    port,
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
