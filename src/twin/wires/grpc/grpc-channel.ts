/**
 * The one connection that a gRPC client has. It is made when it is first needed and again after it was lost; while the
 * peer cannot be reached, calls fail at once until the next attempt is due. Nobody asks an idle peer whether it still
 * lives: one that vanished without a word is noticed by TCP alone, as with clients that set no keepalive.
 */
import type { ClientHttp2Session } from 'node:http2'
import type { ClientOptions } from '../../ports/index.ts'
import { CallFailure, toCallFailure } from '../../ports/index.ts'
import { connectToAny } from './connect-to-any.ts'
import { createReconnectBackoff } from './reconnect-backoff.ts'

/** How long one attempt may take. */
const CONNECT_MS = 20_000

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

const reach = async (target: { host: string; port: number }): Promise<ClientHttp2Session> => {
  try {
    return await connect(target)
  } catch (error) {
    const { kind, message } = toCallFailure(error)
    const reason = `"transport: Error while dialing: dial tcp ${target.host}:${target.port}: ${message}"`
    throw new CallFailure(kind, `connection error: desc = ${reason}`)
  }
}

export const createGrpcChannel = ({ address }: Pick<ClientOptions, 'address'>): GrpcChannel => {
  const backoff = createReconnectBackoff()
  let current: Promise<ClientHttp2Session> | undefined
  let made: ClientHttp2Session | undefined
  let unreachable: { readonly failure: CallFailure; readonly until: number } | undefined
  let isClosed = false

  const forget = (session: ClientHttp2Session): void => {
    if (made !== session) return
    made = undefined
    current = undefined
  }

  const open = async (): Promise<ClientHttp2Session> => {
    try {
      const session = await connectToAny(address, reach, (late) => late.destroy())
      backoff.succeeded()
      unreachable = undefined
      made = session
      session.once('goaway', () => forget(session))
      session.once('close', () => forget(session))
      if (isClosed) session.destroy()
      return session
    } catch (error) {
      const failure = toCallFailure(error)
      unreachable = { failure, until: performance.now() + backoff.failed() }
      current = undefined
      throw failure
    }
  }

  return {
    session: () => {
      if (isClosed) return Promise.reject(new CallFailure('reset', 'grpc: the client connection is closing'))
      // Between the end of a connection and the news of it there is a moment.
      if (made?.closed || made?.destroyed) forget(made)
      if (unreachable && performance.now() < unreachable.until) return Promise.reject(unreachable.failure)
      current ??= open()
      return current
    },
    close: () => {
      isClosed = true
      made?.close()
    },
  }
}
