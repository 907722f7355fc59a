/** The members of a MySQL cluster as they hear each other: one line asked, one line answered, over TCP. */
import { connect } from 'node:net'
import type { MemberState } from './election.ts'

export const XENON_PORT = 8801

/** Rejects where nobody answers in time. */
export const askLine = (host: string, port: number, question: string, timeoutMs = 1_000): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host, port, noDelay: true })
    const end = (error?: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      if (error === undefined) resolve(text.trimEnd())
      else reject(error)
    }
    const timer = setTimeout(() => end(new Error(`${host}:${port} did not answer`)), timeoutMs)
    socket.once('error', end)
    socket.once('connect', () => socket.write(`${question}\n`))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('\n')) end()
    })
    socket.once('close', () => end(new Error(`${host}:${port} said nothing`)))
  })

/** Undefined where the member does not answer. */
export const askMember = async (host: string, port: number): Promise<MemberState | undefined> => {
  try {
    return JSON.parse(await askLine(host, port, 'state')) as MemberState
  } catch {
    return undefined
  }
}
