/** Probes a gRPC server with `grpc.health.v1.Health/Check`, without encryption. */
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { sleep } from '#kit'
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { dial, hostOf, MAX_OUTPUT, type ProbeTarget } from './probe-target.ts'

type GrpcAction = Extract<ProbeAction['action'], { type: 'grpc' }>

const SERVING = 1
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const UNIMPLEMENTED = 12
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange'],
  ...['Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
]
/** The delay before the next connection attempt. */
const RETRY_MS = 1000

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

interface GrpcResponse {
  /** From the trailers, or from the headers of a response without body. */
  code: number
  message: string
  body: Buffer
}

const callHealthCheck = (
  socket: Socket,
  authority: string,
  service: string,
  signal: AbortSignal,
): Promise<GrpcResponse> =>
  new Promise((resolve, reject) => {
    const session = connect(`http://${authority}`, { createConnection: () => socket })
    session.on('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.32',
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
      if (bytes > MAX_OUTPUT) stream.destroy(new Error(`the response exceeds ${MAX_OUTPUT} bytes`))
    })
    stream.on('error', reject)
    stream.once('close', () => {
      const { 'grpc-status': code, 'grpc-message': message = '' } = metadata
      if (code === undefined) reject(new Error('the response has no gRPC status'))
      else
        resolve({ code: Number(code), message: decodeMessage(String(message)), body: Buffer.concat(chunks) })
    })
    signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true })
    stream.end(toMessage(service))
  })

/** Retries until the connection is open. Returns undefined if the signal aborts first. */
const dialWithRetries = async (
  target: ProbeTarget,
  address: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket | undefined> => {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  while (!signal.aborted) {
    try {
      return await dial(target, address, signal)
    } catch {
      await Promise.race([sleep(target.clock, RETRY_MS), aborted])
    }
  }
  return undefined
}

const toResult = ({ code, message, body }: GrpcResponse): ProbeResult => {
  if (code === UNIMPLEMENTED) {
    const protocol = 'the grpc health protocol (grpc.health.v1.Health)'
    return { ok: false, output: `error: this server does not implement ${protocol}: ${message}` }
  }
  if (code !== 0) {
    const error = `rpc error: code = ${CODES[code] ?? `Code(${code})`} desc = ${message}`
    return { ok: false, output: `error: health rpc probe failed: ${error}` }
  }
  const status = statusIn(body)
  return status === SERVING
    ? { ok: true, output: 'service healthy' }
    : { ok: false, output: `service unhealthy (responded with "${STATUSES[status] ?? status}")` }
}

export const probeGrpc = async (
  target: ProbeTarget,
  { host: actionHost, port, service }: GrpcAction,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const host = hostOf(target, actionHost)
  const socket = await dialWithRetries(target, { host, port }, signal)
  const within = `within ${timeoutMs / 1000}s`
  if (socket === undefined) {
    const server = `service "${host}:${port}"`
    return { ok: false, output: `timeout: failed to connect ${server} ${within}: context deadline exceeded` }
  }
  try {
    return toResult(await callHealthCheck(socket, `${host}:${port}`, service, signal))
  } catch (error) {
    return signal.aborted
      ? { ok: false, output: `timeout: health rpc did not complete ${within}` }
      : {
          ok: false,
          output: `error: health rpc probe failed: rpc error: code = Unavailable desc = ${(error as Error).message}`,
        }
  } finally {
    socket.destroy()
  }
}
