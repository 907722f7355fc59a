/** Requests and answers of one line, over TCP. */
import { connect, createServer } from 'node:net'
import type { XenonHost } from '#world/twin/tool-cores'

export const requestLine: XenonHost['requestLine'] = (host, port, request, signal) =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host, port, noDelay: true })
    const settle = (error?: Error): void => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      if (error === undefined) resolve(text.trimEnd())
      else reject(error)
    }
    const onAbort = (): void => settle(signal.reason)
    signal.addEventListener('abort', onAbort)
    socket.once('error', settle)
    socket.once('connect', () => socket.write(`${request}\n`))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('\n')) settle()
    })
    socket.once('close', () => settle(new Error(`${host}:${port} closed the connection without a response`)))
  })

export const listenForLines: XenonHost['listen'] = (port, answer) =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (request) => socket.end(`${answer(request.toString())}\n`))
    })
    server.once('error', reject)
    server.listen(port, () => resolve({ close: () => server.close() }))
  })
