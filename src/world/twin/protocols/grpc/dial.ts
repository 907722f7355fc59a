/** Opens the HTTP/2 connection of a gRPC channel. */
import type { ClientHttp2Session } from 'node:http2'
import { CallFailure, toCallFailure } from '#world/twin/ports'

/** Time limit of one attempt. */
const CONNECT_TIMEOUT_MS = 20_000

export interface Target {
  readonly host: string
  readonly port: number
}

export interface Connection {
  /** `host:port` */
  readonly key: string
  readonly session: ClientHttp2Session
}

export const toKey = ({ host, port }: Target): string => `${host}:${port}`

const connect = async (target: Target): Promise<ClientHttp2Session> => {
  const http2 = await import('node:http2')
  // Pods have IPv4 addresses only.
  const options = { family: 4, autoSelectFamily: false, noDelay: true } as object
  const session = http2.connect(`http://${toKey(target)}`, options)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      session.destroy()
      reject(new CallFailure('timeout', 'i/o timeout'))
    }, CONNECT_TIMEOUT_MS)
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error)
    }
    // The listener is never removed: later errors also fail the streams, which report them to their callers.
    session.on('error', fail)
    session.once('close', () => fail(new CallFailure('reset', 'error reading server preface: EOF')))
    // Waits for the settings of the server: a port that only accepts connections is not connected yet.
    session.once('remoteSettings', () => {
      clearTimeout(timer)
      resolve(session)
    })
  })
}

/** Rejects with a CallFailure whose message reads like that of a gRPC library. */
export const dial = async (target: Target): Promise<Connection> => {
  const key = toKey(target)
  try {
    return { key, session: await connect(target) }
  } catch (error) {
    const { kind, message } = toCallFailure(error)
    const reason = `"transport: Error while dialing: dial tcp ${key}: ${message}"`
    throw new CallFailure(kind, `connection error: desc = ${reason}`)
  }
}
