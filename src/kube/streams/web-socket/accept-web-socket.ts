/** Answers a WebSocket handshake with a subprotocol that the caller has chosen. */
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { lazily } from '../../../kit/index.ts'
import { refuseUpgrade, type Upgrade, webSocketProtocols } from '../upgrade.ts'

/** The most a real API server reads as one message, in bytes. */
const MAX_MESSAGE = 32 * 1024 * 1024

const chosen = new WeakMap<IncomingMessage, string>()

/** The library, loaded with the first connection that needs it. */
const webSocketLibrary = lazily(() => createRequire(import.meta.url)('ws') as typeof import('ws'))

const webSocketServer = lazily((): WebSocketServer => {
  const server = new (webSocketLibrary().WebSocketServer)({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
  })
  server.on('headers', (headers, request) => {
    const protocol = chosen.get(request)
    if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`)
  })
  return server
})

/**
 * The first protocol the client offers that is among `supported`; '' stands for a client that offers none.
 * Answers 403 and returns nothing when there is no such protocol, as a real server does.
 */
export const acceptWebSocket = (
  upgrade: Upgrade,
  supported: readonly string[],
): { webSocket: WebSocket; protocol: string } | undefined => {
  const { request, socket, head } = upgrade
  const offered = webSocketProtocols(upgrade)
  const protocol = (offered.length === 0 ? [''] : offered).find((name) => supported.includes(name))
  if (protocol === undefined) {
    refuseUpgrade(upgrade, { code: 403, text: '' })
    return undefined
  }
  // `ws` refuses names with a slash, such as SPDY/3.1+portforward.k8s.io, so it is not shown the header.
  delete request.headers['sec-websocket-protocol']
  if (protocol !== '') chosen.set(request, protocol)
  let accepted: WebSocket | undefined
  webSocketServer().handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on('error', () => {})
    accepted = webSocket
  })
  return accepted === undefined ? undefined : { webSocket: accepted, protocol }
}

/** The messages of a WebSocket as one stream of bytes. */
export const webSocketStream = (webSocket: WebSocket): Duplex =>
  webSocketLibrary().createWebSocketStream(webSocket)
