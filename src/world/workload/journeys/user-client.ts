/**
 * An HTTP client that behaves like a browser: keep-alive, cookies, redirects, and a timeout for the whole
 * exchange.
 */
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '#kit'
import { createExchange } from './exchange.ts'
import { followRedirects } from './follow-redirects.ts'
import type { UserAnswer, UserRequest } from './user-request.ts'

/** Connections older than this are not reused. */
const MAX_CONNECTION_AGE_MS = 1000

/** The server sent no complete response. */
export class NoAnswerError extends Error {
  readonly kind: 'timeout' | 'connection'

  constructor(kind: 'timeout' | 'connection', message: string) {
    super(message)
    this.kind = kind
  }
}

export interface UserClient {
  /** Resolves for every status; rejects with a NoAnswerError if no complete response arrives. */
  send(request: UserRequest): Promise<UserAnswer>
  /** Aborts active requests. */
  close(): void
}

const createAgent = (clock: Clock, connections: number): Agent => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: 256 })
  const openedAt = new WeakMap<Socket, number>()
  const keepAlive = agent.keepSocketAlive.bind(agent)
  // Load balancing is per connection, so a long-lived connection would never reach new pods.
  agent.keepSocketAlive = (stream) => {
    const socket = stream as Socket
    const since = openedAt.get(socket) ?? clock.now()
    openedAt.set(socket, since)
    return clock.now() - since < MAX_CONNECTION_AGE_MS && keepAlive(stream)
  }
  return agent
}

/** `connections` limits the concurrent connections to one entry point; further requests wait. */
export const createUserClient = (clock: Clock, connections = Number.POSITIVE_INFINITY): UserClient => {
  const agent = createAgent(clock, connections)
  const exchange = createExchange(agent)
  return {
    async send(request) {
      const timeout = new AbortController()
      const timer = clock.after(request.timeoutMs, () => timeout.abort())
      try {
        return await followRedirects(request, timeout.signal, exchange)
      } catch (error) {
        if (timeout.signal.aborted)
          throw new NoAnswerError('timeout', `no answer within ${request.timeoutMs} ms`)
        const { code, message } = error as NodeJS.ErrnoException
        throw new NoAnswerError('connection', code ?? message)
      } finally {
        timer.cancel()
      }
    },
    close: () => agent.destroy(),
  }
}
