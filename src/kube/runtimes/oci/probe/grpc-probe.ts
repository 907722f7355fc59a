/** Whether a gRPC server calls itself healthy: `grpc.health.v1.Health/Check`, without encryption. */
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { sleep } from '../../../../kit/index.ts'
import type { ProbeAction, ProbeResult } from '../../../ports/index.ts'
import { dial, hostOf, MOST_OUTPUT, type ProbeTarget } from './probe-target.ts'

type GrpcAction = Extract<ProbeAction['action'], { type: 'grpc' }>

const SERVING = 1
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const UNIMPLEMENTED = 12
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange'],
  ...['Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
]
/** When a server that does not listen yet is tried again. */
const RETRY_MS = 1000

/** A message of gRPC, uncompressed, with the name of the service as its only field. */
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

/** The status is the first field of the answer, and left out where it is zero. */
const statusIn = (message: Buffer): number => (message[5] === 0x08 ? (message[6] ?? 0) : 0)

/** Percent signs stand for bytes; a server that does not know so has written plain text. */
const plainText = (message: string): string => {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}

interface Answer {
  /** Of the headers or, as usual, the trailers. */
  code: number
  message: string
  body: Buffer
}

const ask = (socket: Socket, authority: string, service: string, signal: AbortSignal): Promise<Answer> =>
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
    let end: IncomingHttpHeaders = {}
    const chunks: Buffer[] = []
    const note = (headers: IncomingHttpHeaders): void => {
      end = { ...end, ...headers }
    }
    stream.on('response', note).on('trailers', note)
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_OUTPUT) stream.destroy(new Error('the answer is too long'))
    })
    stream.on('error', reject)
    stream.once('close', () => {
      const { 'grpc-status': code, 'grpc-message': message = '' } = end
      if (code === undefined) reject(new Error('it gave no answer of gRPC'))
      else resolve({ code: Number(code), message: plainText(String(message)), body: Buffer.concat(chunks) })
    })
    signal.addEventListener('abort', () => reject(new Error('time is over')), { once: true })
    stream.end(toMessage(service))
  })

/** Tries until it stands or the time is over. */
const dialUntil = async (
  target: ProbeTarget,
  place: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket | undefined> => {
  const over = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  while (!signal.aborted) {
    try {
      return await dial(target, place, signal)
    } catch {
      await Promise.race([sleep(target.clock, RETRY_MS), over])
    }
  }
  return undefined
}

const judge = ({ code, message, body }: Answer): ProbeResult => {
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
  { host: given, port, service }: GrpcAction,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const host = hostOf(target, given)
  const socket = await dialUntil(target, { host, port }, signal)
  const within = `within ${timeoutMs / 1000}s`
  if (socket === undefined) {
    const where = `service "${host}:${port}"`
    return { ok: false, output: `timeout: failed to connect ${where} ${within}: context deadline exceeded` }
  }
  try {
    return judge(await ask(socket, `${host}:${port}`, service, signal))
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
