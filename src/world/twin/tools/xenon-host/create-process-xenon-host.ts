/** The host of xenon in a process of the operating system. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { hostname } from 'node:os'
import { processTime } from '#world/twin/process'
import { openMysqlConnection } from '#world/twin/stores'
import type { XenonHost } from '#world/twin/tool-cores'
import { listenForLines, requestLine } from './request-line.ts'

/** Keeps one connection to the API server. */
const createApiClient = (): XenonHost['requestApi'] => {
  let agent: Agent | undefined
  return ({ host, port, method, target, headers, body, certificateAuthority }, signal) =>
    new Promise((resolve, reject) => {
      agent ??= new Agent({ keepAlive: true, maxSockets: 1, ca: certificateAuthority })
      const address = { host, port, servername: 'kubernetes.default.svc' }
      const call = request({ ...address, method, path: target, headers, agent }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          signal.removeEventListener('abort', onAbort)
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
        })
      })
      const onAbort = (): void => void call.destroy(signal.reason)
      signal.addEventListener('abort', onAbort)
      call.once('error', reject)
      call.end(body)
    })
}

const createTermination = (): AbortSignal => {
  const abort = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => abort.abort())
  return abort.signal
}

export const createProcessXenonHost = (): XenonHost => ({
  time: processTime,
  environment: process.env,
  hostname: hostname(),
  termination: createTermination(),
  write: (text) => void process.stdout.write(text),
  readText: (path) => readFileSync(path, 'utf8'),
  listen: listenForLines,
  requestLine,
  openMysql: (port, signal) =>
    openMysqlConnection(
      { address: async () => ({ host: '127.0.0.1', port }), login: { user: 'root', password: '' } },
      signal,
    ),
  requestApi: createApiClient(),
})
