/** Accepts a WebSocket handshake with one of the supported subprotocols. */
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { lazily } from '#kit'
import { rejectUpgrade, type Upgrade, webSocketProtocols } from '../upgrade.ts'

/** The message limit of a real API server. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

const agreedProtocols = new WeakMap<IncomingMessage, string>()

/** Loaded with the first connection. */
const webSocketLibrary = lazily(() => createRequire(import.meta.url)('ws') as typeof import('ws'))

const webSocketServer = lazily((): WebSocketServer => {
  const server = new (webSocketLibrary().WebSocketServer)({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  server.on('headers', (headers, request) => {
    const protocol = agreedProtocols.get(request)
    if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`)
  })
  return server
})

/**
 * Accepts the first offered protocol that is in `supported`; '' matches a client that offers none. Otherwise
 * answers 403 and returns undefined, as a real server does.
 */
export const acceptWebSocket = (
  upgrade: Upgrade,
  supported: readonly string[],
): { webSocket: WebSocket; protocol: string } | undefined => {
  const { request, socket, head } = upgrade
  const offered = webSocketProtocols(upgrade)
  const protocol = (offered.length === 0 ? [''] : offered).find((name) => supported.includes(name))
  if (protocol === undefined) {
    rejectUpgrade(upgrade, { code: 403, text: '' })
    return undefined
  }
  // `ws` rejects names with a slash, such as SPDY/3.1+portforward.k8s.io, so the header is removed.
  delete request.headers['sec-websocket-protocol']
  if (protocol !== '') agreedProtocols.set(request, protocol)
  let accepted: WebSocket | undefined
  webSocketServer().handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on('error', () => {})
    accepted = webSocket
  })
  return accepted === undefined ? undefined : { webSocket: accepted, protocol }
}

/** The messages of a WebSocket as a byte stream. */
export const webSocketStream = (webSocket: WebSocket): Duplex =>
  webSocketLibrary().createWebSocketStream(webSocket)
