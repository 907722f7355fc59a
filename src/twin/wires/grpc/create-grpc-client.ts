/** Calls unary gRPC methods, whose messages are JSON. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { ClientOptions, ServiceAnswer, ServiceCall, ServiceClient } from '../../ports/index.ts'
import { CallFailure } from '../../ports/index.ts'
import { createGrpcChannel } from './grpc-channel.ts'
import { parseJsonFrame, toJsonFrame } from './grpc-message.ts'
import { fromMetadata, toGrpcTimeout, toMetadata } from './grpc-metadata.ts'
import { decodeStatusMessage, GRPC_CODE } from './grpc-status.ts'

const CONTENT_TYPE = 'application/grpc+json'

/** Error codes of HTTP/2. */
const REFUSED_STREAM = 7
const CANCEL = 8

const tooLate = (): CallFailure => new CallFailure('timeout', 'context deadline exceeded')

const lost = (reason: string): CallFailure => new CallFailure('reset', `error reading from server: ${reason}`)

/** The peer has not looked at the call, which may therefore be made again. */
class NeverBegun extends CallFailure {}

/** What came on a stream until it ended. */
interface Received {
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly data: Buffer
}

const toBody = (data: Buffer): unknown => {
  try {
    const body = parseJsonFrame(data)
    if (body !== undefined) return body
  } catch {
    // Said below.
  }
  const reason = 'grpc: failed to unmarshal the received message'
  throw new CallFailure('answer', reason, GRPC_CODE.internal)
}

const toAnswer = ({ headers, trailers, data }: Received): ServiceAnswer => {
  const status = trailers['grpc-status'] ?? headers['grpc-status']
  if (status === undefined) {
    const code = headers[':status']
    if (code === undefined || Number(code) === 200) throw lost('EOF')
    const reason = `unexpected HTTP status code received from server: ${code}`
    throw new CallFailure('answer', reason, GRPC_CODE.unavailable)
  }
  const code = Number(status)
  if (code !== GRPC_CODE.ok) {
    const message = decodeStatusMessage(String(trailers['grpc-message'] ?? headers['grpc-message'] ?? ''))
    throw new CallFailure('answer', message, code)
  }
  return { status: GRPC_CODE.ok, headers: fromMetadata(headers), body: toBody(data) }
}

const receive = (stream: ClientHttp2Stream): Promise<Received> =>
  new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    let reason = 'EOF'
    const parts: Buffer[] = []
    stream.on('response', (received) => {
      headers = received
    })
    stream.on('trailers', (received) => {
      trailers = received
    })
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('error', (error) => {
      reason = error.message
    })
    stream.on('close', () => {
      const isWhole = 'grpc-status' in trailers || 'grpc-status' in headers || stream.readableEnded
      if (isWhole) resolve({ headers, trailers, data: Buffer.concat(parts) })
      else
        reject(
          stream.rstCode === REFUSED_STREAM
            ? new NeverBegun('reset', `error reading from server: ${reason}`)
            : lost(reason),
        )
    })
  })

const exchange = async (
  session: ClientHttp2Session,
  call: ServiceCall,
  deadline?: number,
): Promise<ServiceAnswer> => {
  const left = deadline === undefined ? undefined : deadline - performance.now()
  if (left !== undefined && left <= 0) throw tooLate()
  let stream: ClientHttp2Stream
  try {
    stream = session.request({
      ':method': 'POST',
      ':path': `/${call.target}`,
      'content-type': CONTENT_TYPE,
      te: 'trailers',
      ...(left === undefined ? {} : { 'grpc-timeout': toGrpcTimeout(left) }),
      ...toMetadata(call.headers),
    })
  } catch (error) {
    throw lost((error as Error).message)
  }
  const received = receive(stream)
  stream.end(toJsonFrame(call.body))
  if (left === undefined) return toAnswer(await received)
  let isTooLate = false
  const timer = setTimeout(() => {
    isTooLate = true
    stream.close(CANCEL)
  }, left)
  try {
    return toAnswer(await received)
  } catch (error) {
    throw isTooLate ? tooLate() : error
  } finally {
    clearTimeout(timer)
  }
}

/** The deadline counts from here: it may pass while the connection is still being made. */
const within = async <T>(work: Promise<T>, milliseconds: number | undefined): Promise<T> => {
  if (milliseconds === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

export const createGrpcClient = (options: ClientOptions): ServiceClient => {
  const channel = createGrpcChannel(options)
  return {
    call: async (call) => {
      const deadline = call.timeoutMs === undefined ? undefined : performance.now() + call.timeoutMs
      const session = await within(channel.session(), call.timeoutMs)
      try {
        return await exchange(session, call, deadline)
      } catch (error) {
        if (!(error instanceof NeverBegun)) throw error
      }
      const left = deadline === undefined ? undefined : deadline - performance.now()
      return exchange(await within(channel.session(), left), call, deadline)
    },
    close: () => channel.close(),
  }
}
