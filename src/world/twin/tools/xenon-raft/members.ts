/** The protocol between the members of a MySQL cluster: requests and responses of one line, over TCP. */
import { connect } from 'node:net'
import type { MemberState } from './election.ts'

export const XENON_PORT = 8801

/** Rejects if no response arrives in time. */
export const requestLine = (
  host: string,
  port: number,
  request: string,
  timeoutMs = 1_000,
): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host, port, noDelay: true })
    const settle = (error?: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      if (error === undefined) resolve(text.trimEnd())
      else reject(error)
    }
    const timer = setTimeout(() => settle(new Error(`${host}:${port} did not answer`)), timeoutMs)
    socket.once('error', settle)
    socket.once('connect', () => socket.write(`${request}\n`))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('\n')) settle()
    })
    socket.once('close', () => settle(new Error(`${host}:${port} closed the connection without a response`)))
  })

/** Returns undefined if the member does not answer. */
export const fetchMemberState = async (host: string, port: number): Promise<MemberState | undefined> => {
  try {
    return JSON.parse(await requestLine(host, port, 'state')) as MemberState
  } catch {
    return undefined
  }
}
