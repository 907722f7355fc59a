/**
 * An HTTP client that behaves like a browser: keep-alive, cookies, redirects, and a timeout for the whole
 * exchange.
 */
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '#kit'
import { MAX_CONNECTION_AGE_MS, MAX_FREE_CONNECTIONS } from './connection-limits.ts'
import type { Exchange } from './exchange.ts'
import { followRedirects } from './follow-redirects.ts'
import { createSocketExchange } from './socket-exchange.ts'
import type { UserAnswer, UserRequest } from './user-request.ts'

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
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: MAX_FREE_CONNECTIONS })
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

/** A client whose requests are sent by `exchange`. */
export const createClientOver = (exchange: Exchange, clock: Clock): Pick<UserClient, 'send'> => ({
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
})

/** `connections` limits the concurrent connections to one entry point; further requests wait. */
export const createUserClient = (clock: Clock, connections = Number.POSITIVE_INFINITY): UserClient => {
  const agent = createAgent(clock, connections)
  return { ...createClientOver(createSocketExchange(agent), clock), close: () => agent.destroy() }
}
