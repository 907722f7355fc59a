/**
 * The connections that a gRPC client has: one for each address that it is given, which calls use in turn; a name of DNS
 * is one address. They are made when they are first needed and again after they were lost; while nobody can be
 * reached, calls fail at once until the next attempt is due. Nobody asks an idle peer whether it still lives: one that
 * vanished without a word is noticed by TCP alone, as with clients that set no keepalive.
 */
import type { ClientHttp2Session } from 'node:http2'
import type { ClientOptions } from '../../ports/index.ts'
import { CallFailure, toCallFailure } from '../../ports/index.ts'
import { connectToAny } from './connect-to-any.ts'
import { createReconnectBackoff } from './reconnect-backoff.ts'

/** How long one attempt may take. */
const CONNECT_MS = 20_000

const SHUNNED_MS = 30_000

export interface GrpcChannel {
  /** Rejects with a CallFailure. */
  session(): Promise<ClientHttp2Session>
  close(): void
}

const connect = async ({ host, port }: { host: string; port: number }): Promise<ClientHttp2Session> => {
  const http2 = await import('node:http2')
  // Pods have addresses of IPv4 only.
  const options = { family: 4, autoSelectFamily: false, noDelay: true } as object
  const session = http2.connect(`http://${host}:${port}`, options)
  return new Promise((resolve, reject) => {
    const slow = setTimeout(() => {
      session.destroy()
      reject(new CallFailure('timeout', 'i/o timeout'))
    }, CONNECT_MS)
    const fail = (error: unknown): void => {
      clearTimeout(slow)
      reject(error)
    }
    // Listened to for as long as it lives: what breaks later fails the streams, which tell their callers.
    session.on('error', fail)
    session.once('close', () => fail(new CallFailure('reset', 'error reading server preface: EOF')))
    // The peer has spoken HTTP/2: a port that only accepts connections is no server yet.
    session.once('remoteSettings', () => {
      clearTimeout(slow)
      resolve(session)
    })
  })
}

type Target = { readonly host: string; readonly port: number }

interface Connection {
  readonly key: string
  readonly session: ClientHttp2Session
}

const keyOf = ({ host, port }: Target): string => `${host}:${port}`

const reach = async (target: Target): Promise<Connection> => {
  const key = keyOf(target)
  try {
    return { key, session: await connect(target) }
  } catch (error) {
    const { kind, message } = toCallFailure(error)
    const reason = `"transport: Error while dialing: dial tcp ${key}: ${message}"`
    throw new CallFailure(kind, `connection error: desc = ${reason}`)
  }
}

export const createGrpcChannel = ({ address }: Pick<ClientOptions, 'address'>): GrpcChannel => {
  const backoff = createReconnectBackoff()
  const sessions = new Map<string, ClientHttp2Session>()
  /** Addresses that did not answer, and when they may be tried beside others again. */
  const shunned = new Map<string, number>()
  let opening: Promise<ClientHttp2Session> | undefined
  let unreachable: { readonly failure: CallFailure; readonly until: number } | undefined
  let isWidening = false
  let isClosed = false
  let turn = 0

  const keep = ({ key, session }: Connection): ClientHttp2Session => {
    const forget = (): void => {
      if (sessions.get(key) === session) sessions.delete(key)
    }
    sessions.set(key, session)
    session.once('goaway', forget)
    session.once('close', forget)
    if (isClosed) session.destroy()
    return session
  }

  const open = async (): Promise<ClientHttp2Session> => {
    try {
      const made = await connectToAny(address, reach, (late) => late.session.destroy())
      backoff.succeeded()
      unreachable = undefined
      return keep(made)
    } catch (error) {
      const failure = toCallFailure(error)
      unreachable = { failure, until: performance.now() + backoff.failed() }
      throw failure
    } finally {
      opening = undefined
    }
  }

  /** An address that is new is connected to as well, while calls go on with those there are. */
  const widen = async (): Promise<void> => {
    const target = await address()
    const key = keyOf(target)
    if (sessions.has(key) || performance.now() < (shunned.get(key) ?? 0)) return
    try {
      keep(await reach(target))
      shunned.delete(key)
    } catch {
      shunned.set(key, performance.now() + SHUNNED_MS)
    }
  }

  const usable = (): readonly ClientHttp2Session[] => {
    // Between the end of a connection and the news of it there is a moment.
    for (const [key, { closed, destroyed }] of sessions) if (closed || destroyed) sessions.delete(key)
    return [...sessions.values()]
  }

  const useKnown = (known: readonly ClientHttp2Session[]): ClientHttp2Session => {
    if (!isWidening) {
      isWidening = true
      widen()
        .catch(() => {})
        .finally(() => {
          isWidening = false
        })
    }
    turn = (turn + 1) % known.length
    return known[turn]!
  }

  return {
    session: async () => {
      if (isClosed) throw new CallFailure('reset', 'grpc: the client connection is closing')
      const known = usable()
      if (known.length > 0) return useKnown(known)
      if (unreachable && performance.now() < unreachable.until) throw unreachable.failure
      opening ??= open()
      return opening
    },
    close: () => {
      isClosed = true
      for (const session of sessions.values()) session.close()
    },
  }
}
