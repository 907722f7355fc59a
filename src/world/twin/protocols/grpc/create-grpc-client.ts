/** Calls unary gRPC methods with JSON messages over HTTP/2. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { ClientOptions, ServiceAnswer, ServiceCall, ServiceClient } from '#world/twin/ports'
import { CallFailure } from '#world/twin/ports'
import { processTime } from '#world/twin/process'
import { createClientOver } from './create-client-over.ts'
import { toKey } from './dial.ts'
import { parseJsonFrame, toJsonFrame } from './grpc-message.ts'
import { fromMetadata, toGrpcTimeout, toMetadata } from './grpc-metadata.ts'
import { decodeStatusMessage, GRPC_CODE } from './grpc-status.ts'
import {
  CONNECT_TIMEOUT_MS,
  createConnectTimeout,
  createDeadlineFailure,
  createPrefaceFailure,
  type GrpcSession,
  type GrpcTransport,
  type Target,
  toReadFailure,
  UnprocessedCall,
} from './grpc-transport.ts'
import { UNMARSHAL_TEXT } from './unary-call.ts'

const CONTENT_TYPE = 'application/grpc+json'

/** HTTP/2 error codes. */
const REFUSED_STREAM = 7
const CANCEL = 8

class Http2Session implements GrpcSession {
  readonly http2: ClientHttp2Session

  constructor(http2: ClientHttp2Session) {
    this.http2 = http2
  }

  get isUsable(): boolean {
    // A closed session emits `close` only after a delay.
    return !this.http2.closed && !this.http2.destroyed
  }

  onEnd(listener: () => void): void {
    this.http2.once('goaway', listener)
    this.http2.once('close', listener)
  }

  close(): void {
    this.http2.close()
  }

  destroy(): void {
    this.http2.destroy()
  }
}

const connect = async (target: Target): Promise<Http2Session> => {
  const http2 = await import('node:http2')
  // Pods have IPv4 addresses only.
  const options = { family: 4, autoSelectFamily: false, noDelay: true } as object
  const session = http2.connect(`http://${toKey(target)}`, options)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      session.destroy()
      reject(createConnectTimeout())
    }, CONNECT_TIMEOUT_MS)
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error)
    }
    // The listener is never removed: later errors also fail the streams, which report them to their callers.
    session.on('error', fail)
    session.once('close', () => fail(createPrefaceFailure()))
    // Waits for the settings of the server: a port that only accepts connections is not connected yet.
    session.once('remoteSettings', () => {
      clearTimeout(timer)
      resolve(new Http2Session(session))
    })
  })
}

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
  throw new CallFailure('answer', UNMARSHAL_TEXT, GRPC_CODE.internal)
}

const toAnswer = ({ headers, trailers, data }: Received): ServiceAnswer => {
  const status = trailers['grpc-status'] ?? headers['grpc-status']
  if (status === undefined) {
    const code = headers[':status']
    if (code === undefined || Number(code) === 200) throw toReadFailure('EOF')
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
      const failure = toReadFailure(reason)
      if (isComplete) resolve({ headers, trailers, data: Buffer.concat(parts) })
      else reject(stream.rstCode === REFUSED_STREAM ? new UnprocessedCall('reset', failure.message) : failure)
    })
  })

const openStream = (
  { http2 }: Http2Session,
  call: ServiceCall,
  remainingMs: number | undefined,
): ClientHttp2Stream => {
  try {
    return http2.request({
      ':method': 'POST',
      ':path': `/${call.target}`,
      'content-type': CONTENT_TYPE,
      te: 'trailers',
      ...(remainingMs === undefined ? {} : { 'grpc-timeout': toGrpcTimeout(remainingMs) }),
      ...toMetadata(call.headers),
    })
  } catch (error) {
    throw toReadFailure((error as Error).message)
  }
}

const exchange = async (
  session: Http2Session,
  call: ServiceCall,
  remainingMs: number | undefined,
): Promise<ServiceAnswer> => {
  const stream = openStream(session, call, remainingMs)
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

const TRANSPORT: GrpcTransport<Http2Session> = {
  time: processTime,
  random: Math.random,
  connect,
  exchange,
}

export const createGrpcClient = (options: ClientOptions): ServiceClient =>
  createClientOver(options, TRANSPORT)
