/** The request that asks for an upgraded connection, and how one is refused. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, badRequest } from '../meta/index.ts'

/** What an HTTP server's `upgrade` event carries. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** An answer in plain text, as the streaming server of the kubelet gives it. */
export interface PlainRefusal {
  readonly code: number
  readonly text: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** What exec, attach and port-forward answer to a request that asks for no upgrade. */
export const upgradeRequired = (): ApiError => badRequest('Upgrade request required')

/** Answers an upgrade request with an error and ends the connection. */
export const refuseUpgrade = (
  { socket }: Pick<Upgrade, 'socket'>,
  refusal: ApiError | PlainRefusal,
): void => {
  const status = refusal instanceof ApiError
  const body = status
    ? `${JSON.stringify(refusal.toStatus())}\n`
    : refusal.text === ''
      ? ''
      : `${refusal.text}\n`
  const headers: (readonly [string, string])[] = [
    ['Content-Type', status ? 'application/json' : 'text/plain; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
    ...(status ? [] : (refusal.headers ?? [])),
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.on('error', () => {})
  socket.resume()
  socket.end(`HTTP/1.1 ${refusal.code} ${STATUS_CODES[refusal.code] ?? ''}\r\n${lines}\r\n${body}`, () =>
    socket.destroy(),
  )
}

const tokens = (value: string | string[] | undefined): string[] =>
  String(value ?? '')
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')

export const isWebSocketUpgrade = ({ request }: Upgrade): boolean =>
  request.headers.upgrade?.toLowerCase() === 'websocket'

/** The subprotocols a WebSocket client offers, best first. */
export const webSocketProtocols = ({ request }: Upgrade): string[] =>
  tokens(request.headers['sec-websocket-protocol'])

/** The stream protocols a SPDY client offers, best first. */
export const streamProtocols = ({ request }: Upgrade): string[] =>
  tokens(request.headers['x-stream-protocol-version'])
