/** Calls `grpc.health.v1.Health/Check` over a socket, without encryption. */
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import {
  type HealthAnswer,
  MAX_PROBE_OUTPUT,
  PROBE_USER_AGENT,
  type ProbeClient,
} from '#platform/kube/containers'

/** Encodes an uncompressed gRPC message with the name of the service as its only field. */
const toMessage = (service: string): Buffer => {
  const name = Buffer.from(service)
  const length: number[] = []
  for (let rest = name.length; ; rest >>>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  const body = name.length === 0 ? name : Buffer.concat([Buffer.of(0x0a, ...length), name])
  const message = Buffer.alloc(5)
  message.writeUInt32BE(body.length, 1)
  return Buffer.concat([message, body])
}

/** The status is the first field of the response; protobuf omits it if it is zero. */
const statusIn = (message: Buffer): number => (message[5] === 0x08 ? (message[6] ?? 0) : 0)

/** Decodes percent-encoding; invalid encoding is taken as plain text. */
const decodeMessage = (message: string): string => {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}

export const checkHealthOverSocket = (
  socket: Socket,
  { authority, service, signal }: Parameters<ProbeClient<Socket>['checkHealth']>[1],
): Promise<HealthAnswer> =>
  new Promise((resolve, reject) => {
    const session = connect(`http://${authority}`, { createConnection: () => socket })
    session.on('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': PROBE_USER_AGENT,
      te: 'trailers',
    })
    let metadata: IncomingHttpHeaders = {}
    const chunks: Buffer[] = []
    const addMetadata = (headers: IncomingHttpHeaders): void => {
      metadata = { ...metadata, ...headers }
    }
    stream.on('response', addMetadata).on('trailers', addMetadata)
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_PROBE_OUTPUT)
        stream.destroy(new Error(`the response exceeds ${MAX_PROBE_OUTPUT} bytes`))
    })
    stream.on('error', reject)
    stream.once('close', () => {
      const { 'grpc-status': code, 'grpc-message': message = '' } = metadata
      if (code === undefined) reject(new Error('the response has no gRPC status'))
      else
        resolve({
          code: Number(code),
          message: decodeMessage(String(message)),
          status: statusIn(Buffer.concat(chunks)),
        })
    })
    signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true })
    stream.end(toMessage(service))
  })
