/** Serves gRPC over HTTP/2 without TLS: unary calls with JSON messages, and the standard health check. */
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { ListeningServer, OutgoingAnswer, ServeOptions } from '#world/twin/ports'
import { PREFIX_BYTES, parseJsonFrame, toJsonFrame } from './grpc-message.ts'
import { fromMetadata, toMetadata } from './grpc-metadata.ts'
import { encodeStatusMessage, GRPC_CODE } from './grpc-status.ts'
import { answerHealthCheck } from './health-service.ts'
import { MAX_MESSAGE_BYTES, parseMethod, TOO_LARGE_TEXT, UNMARSHAL_TEXT } from './unary-call.ts'

type Status = { readonly code: number; readonly message?: string }

const toTrailers = ({ code, message }: Status): Record<string, string> => ({
  'grpc-status': String(code),
  ...(message ? { 'grpc-message': encodeStatusMessage(message) } : {}),
})

/** Sends a trailers-only response. */
const sendFailure = (stream: ServerHttp2Stream, contentType: string, status: Status): void => {
  if (stream.destroyed || stream.headersSent) return
  stream.respond({ ':status': 200, 'content-type': contentType, ...toTrailers(status) }, { endStream: true })
}

const sendMessage = (
  stream: ServerHttp2Stream,
  contentType: string,
  frame: Buffer,
  metadata: Record<string, string> = {},
): void => {
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': contentType, ...metadata }, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers(toTrailers({ code: GRPC_CODE.ok })))
  stream.end(frame)
}

/** Returns undefined if the message is too large. */
const readMessage = async (stream: ServerHttp2Stream): Promise<Buffer | undefined> => {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream) {
    length += (part as Buffer).length
    if (length <= MAX_MESSAGE_BYTES + PREFIX_BYTES) parts.push(part as Buffer)
  }
  if (length > MAX_MESSAGE_BYTES + PREFIX_BYTES) return undefined
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

const sendAnswer = (stream: ServerHttp2Stream, contentType: string, answer: OutgoingAnswer): void => {
  if (answer.status === GRPC_CODE.ok)
    sendMessage(stream, contentType, toJsonFrame(answer.body), toMetadata(answer.headers ?? {}))
  else sendFailure(stream, contentType, { code: answer.status, message: String(answer.body ?? '') })
}

const serveStream = async (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  options: ServeOptions,
): Promise<void> => {
  const contentType = headers['content-type'] ?? ''
  const path = headers[':path'] ?? ''
  if (!contentType.startsWith('application/grpc')) {
    stream.respond({ ':status': 415 }, { endStream: true })
    return
  }
  const isJson = contentType.startsWith('application/grpc+json')
  const data = await readMessage(stream)
  if (data === undefined)
    return sendFailure(stream, contentType, {
      code: GRPC_CODE.resourceExhausted,
      message: TOO_LARGE_TEXT,
    })
  const health = answerHealthCheck(path, isJson)
  if (health) return sendMessage(stream, contentType, health)
  const target = parseMethod(path, options.rpc)
  if ('unknown' in target)
    return sendFailure(stream, contentType, { code: GRPC_CODE.unimplemented, message: target.unknown })
  let body: unknown
  try {
    body = isJson ? parseJsonFrame(data) : undefined
  } catch {
    body = undefined
  }
  if (body === undefined)
    return sendFailure(stream, contentType, { code: GRPC_CODE.internal, message: UNMARSHAL_TEXT })
  const request = { method: 'RPC', path: target.method, query: {}, headers: fromMetadata(headers), body }
  sendAnswer(stream, contentType, await options.handler(request))
}

const listen = (server: Http2Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', reject)
    // Later errors concern single connections: the server keeps running.
    server.listen(port, () => {
      resolve((server.address() as AddressInfo).port)
    })
  })

export const startGrpcServer = async (options: ServeOptions): Promise<ListeningServer> => {
  const { createServer } = await import('node:http2')
  const server = createServer()
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // A failed connection affects only its client.
    session.on('error', () => {})
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    serveStream(stream, headers, options).catch(() => stream.destroy())
  })
  const port = await listen(server, options.port)
  return {
    port,
    close: (graceMs = 0) =>
      new Promise((resolve) => {
        const force = setTimeout(() => {
          for (const session of sessions) session.destroy()
        }, graceMs)
        server.close(() => {
          clearTimeout(force)
          resolve()
        })
        for (const session of sessions) session.close()
      }),
  }
}
