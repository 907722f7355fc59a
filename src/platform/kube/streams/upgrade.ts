/** Upgrade requests and their rejection. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, badRequest } from '#platform/kube/meta'

/** The arguments of the `upgrade` event of an HTTP server. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** A plain-text response, like those of the kubelet's streaming server. */
export interface PlainRejection {
  readonly code: number
  readonly text: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** The error of exec, attach and port-forward requests without an upgrade. */
export const upgradeRequired = (): ApiError => badRequest('Upgrade request required')

/** Answers an upgrade request with an error and ends the connection. */
export const rejectUpgrade = (
  { socket }: Pick<Upgrade, 'socket'>,
  reason: ApiError | PlainRejection,
): void => {
  const isStatus = reason instanceof ApiError
  const body = isStatus
    ? `${JSON.stringify(reason.toStatus())}\n`
    : reason.text === ''
      ? ''
      : `${reason.text}\n`
  const headers: (readonly [string, string])[] = [
    ['Content-Type', isStatus ? 'application/json' : 'text/plain; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
    ...(isStatus ? [] : (reason.headers ?? [])),
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.on('error', () => {})
  socket.resume()
  // Importing node:http also loads the fetch implementation of Node.js, which takes 20 ms at every start.
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  socket.end(`HTTP/1.1 ${reason.code} ${STATUS_CODES[reason.code] ?? ''}\r\n${lines}\r\n${body}`, () =>
    socket.destroy(),
  )
}

const splitTokens = (value: string | string[] | undefined): string[] =>
  String(value ?? '')
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')

export const isWebSocketUpgrade = ({ request }: Upgrade): boolean =>
  request.headers.upgrade?.toLowerCase() === 'websocket'

/** The subprotocols that a WebSocket client offers, most preferred first. */
export const webSocketProtocols = ({ request }: Upgrade): string[] =>
  splitTokens(request.headers['sec-websocket-protocol'])

/** The stream protocols that a SPDY client offers, most preferred first. */
export const streamProtocols = ({ request }: Upgrade): string[] =>
  splitTokens(request.headers['x-stream-protocol-version'])
