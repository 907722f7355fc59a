/** Sends requests as a browser would: connections are kept, cookies sent, redirects followed, patience ends. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../kit/index.ts'
import type { Cookies } from './cookies.ts'

export interface UserRequest {
  readonly method: string
  /** `http://127.0.0.1:4711` */
  readonly origin: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly cookies: Cookies
  readonly follow: boolean
  readonly timeoutMs: number
}

export interface UserAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** How long a connection is used again. */
const VISIT_MS = 1000

/** No answer came. */
export class NoAnswer extends Error {
  readonly kind: 'timeout' | 'connection'

  constructor(kind: 'timeout' | 'connection', message: string) {
    super(message)
    this.kind = kind
  }
}

export interface UserClient {
  /** Rejects with NoAnswer; every answer that came resolves, whatever its status. */
  send(request: UserRequest): Promise<UserAnswer>
  /** Breaks off what is on its way. */
  close(): void
}

const MOST_REDIRECTS = 10
/** More than any page of ours; what is longer is read to its end and not kept. */
const MOST_TEXT_BYTES = 4 * 2 ** 20
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/** What may not stand in a request line as it is. */
const toSafeTarget = (target: string): string => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)

const readText = (message: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      if (size < MOST_TEXT_BYTES) chunks.push(chunk)
      size += chunk.length
    })
    message.on('end', () =>
      resolve(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()),
    )
    message.on('error', reject)
    message.on('close', () => reject(new Error('the connection broke within the answer')))
  })

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name])
  return plain
}

const describe = (error: NodeJS.ErrnoException): string => error.code ?? error.message

interface Exchange {
  readonly answer: UserAnswer
  readonly setCookies: readonly string[]
}

/** Where a redirect leads within the same origin; undefined where there is none, or it leads elsewhere. */
const redirectOf = ({ origin, target }: UserRequest, { status, headers }: UserAnswer): string | undefined => {
  const { location } = headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const url = URL.parse(location, origin + target)
  return url?.origin === origin ? url.pathname + url.search : undefined
}

/** A body is only sent on where the redirect says that the method stays. */
const redirected = (request: UserRequest, target: string, status: number): UserRequest => {
  if (status === 307 || status === 308 || request.method === 'HEAD') return { ...request, target }
  const { 'content-type': _, ...headers } = request.headers
  return { ...request, target, method: 'GET', headers, body: undefined }
}

/** `connections` are those to one entry point at the same time; what finds none free waits for one. */
export const createUserClient = (clock: Clock, connections = Number.POSITIVE_INFINITY): UserClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: 256 })
  const opened = new WeakMap<Socket, number>()
  const keepAlive = agent.keepSocketAlive.bind(agent)
  // Users come and go: a connection that stayed for ever would keep them all away from pods that are new.
  agent.keepSocketAlive = (stream) => {
    const socket = stream as Socket
    const since = opened.get(socket) ?? clock.now()
    opened.set(socket, since)
    return clock.now() - since < VISIT_MS && keepAlive(stream)
  }

  const addresses = new Map<string, { host: string; port: string }>()

  const addressOf = (origin: string): { host: string; port: string } => {
    const known = addresses.get(origin)
    if (known !== undefined) return known
    const { hostname, port } = new URL(origin)
    addresses.set(origin, { host: hostname, port })
    return { host: hostname, port }
  }

  const exchange = (request: UserRequest, signal: AbortSignal): Promise<Exchange> =>
    new Promise((resolve, reject) => {
      const { origin, method, target, body, cookies } = request
      const cookie = cookies.header()
      const sent = httpRequest({
        agent,
        ...addressOf(origin),
        method,
        path: toSafeTarget(target),
        headers: {
          accept: '*/*',
          ...(cookie === undefined ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...request.headers,
        },
      })
      const giveUp = (): void => {
        sent.destroy()
        // Told here, because a request that still waits for a connection tells nothing until it gets one.
        reject(new Error('given up'))
      }
      signal.addEventListener('abort', giveUp, { once: true })
      let isAnswered = false
      sent.on('response', (message) => {
        isAnswered = true
        readText(message).then(
          (text) =>
            resolve({
              answer: { status: message.statusCode ?? 0, headers: toHeaders(message), text },
              setCookies: message.headers['set-cookie'] ?? [],
            }),
          reject,
        )
      })
      sent.on('error', (error) => {
        // The server closed a connection that it had kept, at the moment it was used again.
        const isStale = sent.reusedSocket && !signal.aborted && REPEATABLE.has(method)
        if (isStale && describe(error) === 'ECONNRESET') exchange(request, signal).then(resolve, reject)
        else reject(error)
      })
      // Such as after a status 101, which nobody asked for.
      sent.on('close', () => {
        if (!isAnswered) reject(new Error('the connection was closed without an answer'))
      })
      sent.end(body)
    })

  const follow = async (request: UserRequest, signal: AbortSignal): Promise<UserAnswer> => {
    let current = request
    for (let hops = 0; ; hops += 1) {
      const { answer, setCookies } = await exchange(current, signal)
      current.cookies.take(setCookies)
      const target = request.follow ? redirectOf(current, answer) : undefined
      if (target === undefined) return answer
      if (hops === MOST_REDIRECTS) throw new Error(`more than ${MOST_REDIRECTS} redirects`)
      current = redirected(current, target, answer.status)
    }
  }

  return {
    async send(request) {
      const patience = new AbortController()
      const timer = clock.after(request.timeoutMs, () => patience.abort())
      try {
        return await follow(request, patience.signal)
      } catch (error) {
        if (patience.signal.aborted) throw new NoAnswer('timeout', `no answer within ${request.timeoutMs} ms`)
        throw new NoAnswer('connection', describe(error as NodeJS.ErrnoException))
      } finally {
        timer.cancel()
      }
    },
    close: () => agent.destroy(),
  }
}
