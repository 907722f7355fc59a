/** The server side of HTTP: hands each request to the service, parsed as far as it asks, and sends its answer. */
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
} from '../../ports/index.ts'
import { parseBody, readBody, toBody } from './http-body.ts'

/** Longer than our clients leave a connection idle, so that it is never closed under a request. */
const IDLE_MS = 75_000

const GRACE_MS = 10_000

const toHeaders = (message: IncomingMessage): Headers => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value!
  return headers
}

const toQuery = (text: string): Record<string, string> =>
  text === '' ? {} : Object.fromEntries(new URLSearchParams(text))

/** The body is parsed when it is first looked at: who only sends it on does not pay for that. */
const toRequest = (message: IncomingMessage, bytes: Buffer): IncomingRequest => {
  const target = message.url ?? '/'
  const mark = target.indexOf('?')
  let body: { readonly value: unknown } | undefined
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? {} : toQuery(target.slice(mark + 1)),
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
  const empty = answer.status === 204 || answer.status === 304
  if (!empty) headers['content-length'] = Buffer.byteLength(content)
  response.writeHead(answer.status, headers)
  response.end(empty || message.method === 'HEAD' ? undefined : content)
}

const UNSENDABLE: OutgoingAnswer = { status: 500, body: { error: 'Internal Server Error' } }

/** A header or a status that HTTP has no form for is the service's mistake, and costs this request only. */
const sendSafely = (message: IncomingMessage, response: ServerResponse, answer: OutgoingAnswer): void => {
  try {
    send(message, response, answer)
  } catch {
    if (response.headersSent) response.destroy()
    else send(message, response, UNSENDABLE)
  }
}

const answer = async (
  message: IncomingMessage,
  response: ServerResponse,
  handler: RequestHandler,
): Promise<OutgoingAnswer | undefined> => {
  try {
    return await handler(toRequest(message, await readBody(message)))
  } catch (error) {
    if (error instanceof CallFailure && error.status === 413)
      return { status: 413, body: { error: error.message } }
    // The client went away in the middle, or sent what HTTP does not allow.
    response.destroy()
    return undefined
  }
}

/** Connections that have a request on their way end when it has been answered, the others at once. */
export const startHttpServer = ({ port, handler }: ServeOptions): Promise<ListeningServer> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    let closing = false
    const server = createServer(
      { keepAliveTimeout: IDLE_MS, requestTimeout: 0, noDelay: true },
      async (message, response) => {
        const given = await answer(message, response, handler)
        if (closing) response.shouldKeepAlive = false
        if (given !== undefined) sendSafely(message, response, given)
      },
    )
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    const close = (graceMs = GRACE_MS): Promise<void> =>
      new Promise((closed) => {
        closing = true
        const late = setTimeout(() => {
          for (const socket of sockets) socket.destroy()
        }, graceMs)
        server.close(() => {
          clearTimeout(late)
          closed()
        })
        server.closeIdleConnections()
      })
    server.once('error', reject)
    server.listen(port, () => {
      server.off('error', reject)
      // A connection that could not be accepted, for want of descriptors: the next may be.
      server.on('error', () => {})
      resolve({ port: (server.address() as { port: number }).port, close })
    })
  })
