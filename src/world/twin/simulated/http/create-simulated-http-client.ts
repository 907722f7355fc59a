/** The HTTP client of a simulated program: it behaves like `createHttpClient`, on the network of its host. */
import { validateHeaderValue } from 'node:http'
import type { HttpResponseContent, ProgramConnection, ProgramHost } from '#spec'
import {
  CallFailure,
  type ClientOptions,
  type Headers,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  withTimeLimit,
} from '#world/twin/ports'
import { bodyTypeOf, type ConnectionSlots, createConnectionSlots, isIdempotent } from '#world/twin/protocols'
import { toConnectionFailure } from '../wire/connection-failure.ts'
import { HttpConnections } from './http-connections.ts'
import { isHttpResponse, payloadOf, SimulatedRequest, toRequestMessage } from './http-content.ts'
import { HttpPayload } from './http-payload.ts'

type Host = Pick<ProgramHost, 'network' | 'time'>

const toPayload = ({ raw, body }: ServiceCall): HttpPayload | undefined => {
  if (raw !== undefined) return HttpPayload.ofBytes(raw)
  if (body === undefined) return undefined
  return typeof body === 'string' ? HttpPayload.ofText(body) : HttpPayload.ofJson(body)
}

const toRequestHeaders = ({ headers, raw, body }: ServiceCall): Headers => {
  for (const name in headers) validateHeaderValue(name, headers[name]!)
  const hasType = raw !== undefined || body === undefined || headers['content-type'] !== undefined
  return hasType ? headers : { ...headers, 'content-type': bodyTypeOf(body) }
}

const checkTarget = (target: string): void => {
  if (/[^\u0021-\u00ff]/.test(target))
    throw Object.assign(new TypeError('Request path contains unescaped characters'), {
      code: 'ERR_UNESCAPED_CHARACTERS',
    })
}

const toRequest = (call: ServiceCall): SimulatedRequest => {
  checkTarget(call.target)
  return new SimulatedRequest(call.method, call.target, toRequestHeaders(call), toPayload(call))
}

const withCookies = ({ headers, cookies }: HttpResponseContent): Headers =>
  cookies === undefined || cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies.join(', ') }

class SimulatedAnswer implements ServiceAnswer {
  readonly status: number
  readonly headers: Headers
  readonly #payload: HttpPayload

  constructor(content: HttpResponseContent) {
    this.status = content.status
    this.headers = withCookies(content)
    this.#payload = payloadOf(content)
  }

  get body(): unknown {
    return this.#payload.parse(this.headers['content-type'])
  }

  get raw(): Buffer {
    return this.#payload.raw
  }
}

/** A call in progress; its timeout closes the connection that it uses. */
class CallInProgress {
  readonly #connections: HttpConnections
  readonly #request: SimulatedRequest
  #opening: AbortController | undefined
  #connection: ProgramConnection | undefined
  #hasTimedOut = false

  constructor(connections: HttpConnections, request: SimulatedRequest) {
    this.#connections = connections
    this.#request = request
  }

  /** Only the first attempt can fail on a connection that the server has closed in the meantime. */
  async run(): Promise<ServiceAnswer> {
    const free = this.#connections.takeFree()
    try {
      return await this.#attempt(free)
    } catch (error) {
      const failure = toConnectionFailure(error, 'socket hang up')
      const canRetry = failure.kind === 'reset' && free !== undefined && isIdempotent(this.#request.method)
      if (!canRetry || this.#hasTimedOut) throw failure
    }
    try {
      return await this.#attempt(this.#connections.takeFree())
    } catch (error) {
      throw toConnectionFailure(error, 'socket hang up')
    }
  }

  stop(): void {
    this.#hasTimedOut = true
    this.#opening?.abort()
    if (this.#connection !== undefined) this.#connections.discard(this.#connection)
  }

  #open(): Promise<ProgramConnection> {
    this.#opening = new AbortController()
    return this.#connections.open(this.#opening.signal)
  }

  async #attempt(free: ProgramConnection | undefined): Promise<ServiceAnswer> {
    const connection = free ?? (await this.#open())
    if (this.#hasTimedOut) this.#connections.discard(connection)
    this.#connection = connection
    try {
      const { content } = await connection.exchange(toRequestMessage(this.#request))
      if (!isHttpResponse(content))
        throw new CallFailure('reset', 'Parse Error: Expected HTTP/, RTSP/ or ICE/')
      if (content.headers.connection === 'close') this.#connections.discard(connection)
      else this.#connections.release(connection)
      return new SimulatedAnswer(content)
    } catch (error) {
      this.#connections.discard(connection)
      throw error
    } finally {
      this.#connection = undefined
    }
  }
}

const sendInSlot = async <T>(slots: ConnectionSlots, send: () => Promise<T>): Promise<T> => {
  await slots.acquire()
  try {
    return await send()
  } finally {
    slots.release()
  }
}

export const createSimulatedHttpClient = (host: Host, options: ClientOptions): ServiceClient => {
  const connections = new HttpConnections(host, options.address)
  const { poolSize, poolWaitMs } = options
  const slots = poolSize === undefined ? undefined : createConnectionSlots(poolSize, poolWaitMs, host.time)
  const send = async (call: ServiceCall): Promise<ServiceAnswer> => {
    const attempts = new CallInProgress(connections, toRequest(call))
    return await withTimeLimit(host.time, attempts.run(), call.timeoutMs, () => {
      attempts.stop()
      return new CallFailure('timeout', `no answer within ${call.timeoutMs} ms`)
    })
  }
  return {
    call: slots === undefined ? send : (call) => sendInSlot(slots, () => send(call)),
    close: () => connections.close(),
  }
}
