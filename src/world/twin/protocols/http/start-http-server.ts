/** The HTTP server: parses requests for the service and sends its answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  CallFailure,
  type Headers,
  type IncomingRequest,
  type ListeningServer,
  type OutgoingAnswer,
  type RequestHandler,
  type ServeOptions,
} from '#world/twin/ports'
import { parseBody, readBody, toBody } from './http-body.ts'
import { HTTP_GRACE_MS, INTERNAL_ERROR, parseQuery } from './http-rules.ts'

/** Longer than the idle timeout of the clients, so that no connection closes while a client uses it. */
const IDLE_TIMEOUT_MS = 75_000

const toHeaders = (message: IncomingMessage): Headers => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value!
  return headers
}

/** Parses the body on first access: proxies do not need it. */
const toRequest = (message: IncomingMessage, bytes: Buffer): IncomingRequest => {
  const target = message.url ?? '/'
  const queryStart = target.indexOf('?')
  let body: { readonly value: unknown } | undefined
  return {
    method: message.method ?? 'GET',
    path: queryStart < 0 ? target : target.slice(0, queryStart),
    query: queryStart < 0 ? {} : parseQuery(target.slice(queryStart + 1)),
    headers: toHeaders(message),
    from: message.socket.remoteAddress?.replace(/^::ffff:/, ''),
    raw: { target, body: bytes },
    get body() {
      body ??= { value: parseBody(bytes, message.headers['content-type']) }
      return body.value
    },
  }
}

const send = (message: IncomingMessage, response: ServerResponse, answer: OutgoingAnswer): void => {
  if (response.destroyed) return
  const { content, type } =
    answer.raw === undefined ? toBody(answer.body) : { content: answer.raw, type: undefined }
  const headers: Record<string, string | number> = { ...answer.headers }
  if (type !== undefined && headers['content-type'] === undefined) headers['content-type'] = type
  const hasNoBody = answer.status === 204 || answer.status === 304
  if (!hasNoBody) headers['content-length'] = Buffer.byteLength(content)
  response.writeHead(answer.status, headers)
  response.end(hasNoBody || message.method === 'HEAD' ? undefined : content)
}

/** Answers 500 if HTTP cannot encode a header or the status of the answer. */
const sendSafely = (message: IncomingMessage, response: ServerResponse, answer: OutgoingAnswer): void => {
  try {
    send(message, response, answer)
  } catch {
    if (response.headersSent) response.destroy()
    else send(message, response, INTERNAL_ERROR)
  }
}

const handleMessage = async (
  message: IncomingMessage,
  response: ServerResponse,
  handler: RequestHandler,
): Promise<OutgoingAnswer | undefined> => {
  try {
    return await handler(toRequest(message, await readBody(message)))
  } catch (error) {
    if (error instanceof CallFailure && error.status === 413)
      return { status: 413, body: { error: error.message } }
    // The client disconnected, or sent a malformed request.
    response.destroy()
    return undefined
  }
}

/** On close, idle connections end at once, the others after their response. */
export const startHttpServer = ({ port, handler }: ServeOptions): Promise<ListeningServer> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    let closing = false
    const server = createServer(
      { keepAliveTimeout: IDLE_TIMEOUT_MS, requestTimeout: 0, noDelay: true },
      async (message, response) => {
        const outgoing = await handleMessage(message, response, handler)
        if (closing) response.shouldKeepAlive = false
        if (outgoing !== undefined) sendSafely(message, response, outgoing)
      },
    )
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    const close = (graceMs = HTTP_GRACE_MS): Promise<void> =>
      new Promise((closed) => {
        closing = true
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy()
        }, graceMs)
        server.close(() => {
          clearTimeout(timer)
          closed()
        })
        server.closeIdleConnections()
      })
    server.once('error', reject)
    server.listen(port, () => {
      server.off('error', reject)
      // One connection could not be accepted, for example for lack of descriptors; later ones can succeed.
      server.on('error', () => {})
      resolve({ port: (server.address() as { port: number }).port, close })
    })
  })
