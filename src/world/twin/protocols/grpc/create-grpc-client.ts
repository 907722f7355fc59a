/** Calls unary gRPC methods with JSON messages. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { ClientOptions, ServiceAnswer, ServiceCall, ServiceClient } from '#world/twin/ports'
import { CallFailure } from '#world/twin/ports'
import { createGrpcChannel } from './grpc-channel.ts'
import { parseJsonFrame, toJsonFrame } from './grpc-message.ts'
import { fromMetadata, toGrpcTimeout, toMetadata } from './grpc-metadata.ts'
import { decodeStatusMessage, GRPC_CODE } from './grpc-status.ts'

const CONTENT_TYPE = 'application/grpc+json'

/** HTTP/2 error codes. */
const REFUSED_STREAM = 7
const CANCEL = 8

const createDeadlineFailure = (): CallFailure => new CallFailure('timeout', 'context deadline exceeded')

const toResetFailure = (reason: string): CallFailure =>
  new CallFailure('reset', `error reading from server: ${reason}`)

/** The server has not processed the call, so it can be retried. */
class UnprocessedCall extends CallFailure {}

/** The data of a stream up to its end. */
interface Received {
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly data: Buffer
}

const parseBody = (data: Buffer): unknown => {
  try {
    const body = parseJsonFrame(data)
    if (body !== undefined) return body
  } catch {
    // Reported below.
  }
  const reason = 'grpc: failed to unmarshal the received message'
  throw new CallFailure('answer', reason, GRPC_CODE.internal)
}

const toAnswer = ({ headers, trailers, data }: Received): ServiceAnswer => {
  const status = trailers['grpc-status'] ?? headers['grpc-status']
  if (status === undefined) {
    const code = headers[':status']
    if (code === undefined || Number(code) === 200) throw toResetFailure('EOF')
    const reason = `unexpected HTTP status code received from server: ${code}`
    throw new CallFailure('answer', reason, GRPC_CODE.unavailable)
  }
  const code = Number(status)
  if (code !== GRPC_CODE.ok) {
    const message = decodeStatusMessage(String(trailers['grpc-message'] ?? headers['grpc-message'] ?? ''))
    throw new CallFailure('answer', message, code)
  }
  return { status: GRPC_CODE.ok, headers: fromMetadata(headers), body: parseBody(data) }
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
      const isComplete = 'grpc-status' in trailers || 'grpc-status' in headers || stream.readableEnded
      if (isComplete) resolve({ headers, trailers, data: Buffer.concat(parts) })
      else
        reject(
          stream.rstCode === REFUSED_STREAM
            ? new UnprocessedCall('reset', `error reading from server: ${reason}`)
            : toResetFailure(reason),
        )
    })
  })

const exchange = async (
  session: ClientHttp2Session,
  call: ServiceCall,
  deadline?: number,
): Promise<ServiceAnswer> => {
  const remainingMs = deadline === undefined ? undefined : deadline - performance.now()
  if (remainingMs !== undefined && remainingMs <= 0) throw createDeadlineFailure()
  let stream: ClientHttp2Stream
  try {
    stream = session.request({
      ':method': 'POST',
      ':path': `/${call.target}`,
      'content-type': CONTENT_TYPE,
      te: 'trailers',
      ...(remainingMs === undefined ? {} : { 'grpc-timeout': toGrpcTimeout(remainingMs) }),
      ...toMetadata(call.headers),
    })
  } catch (error) {
    throw toResetFailure((error as Error).message)
  }
  const received = receive(stream)
  stream.end(toJsonFrame(call.body))
  if (remainingMs === undefined) return toAnswer(await received)
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    stream.close(CANCEL)
  }, remainingMs)
  try {
    return toAnswer(await received)
  } catch (error) {
    throw hasTimedOut ? createDeadlineFailure() : error
  } finally {
    clearTimeout(timer)
  }
}

/** The deadline includes the time to connect. */
const withDeadline = async <T>(work: Promise<T>, milliseconds: number | undefined): Promise<T> => {
  if (milliseconds === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createDeadlineFailure()), milliseconds)
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
      const session = await withDeadline(channel.session(), call.timeoutMs)
      try {
        return await exchange(session, call, deadline)
      } catch (error) {
        if (!(error instanceof UnprocessedCall)) throw error
      }
      const remainingMs = deadline === undefined ? undefined : deadline - performance.now()
      return exchange(await withDeadline(channel.session(), remainingMs), call, deadline)
    },
    close: () => channel.close(),
  }
}
