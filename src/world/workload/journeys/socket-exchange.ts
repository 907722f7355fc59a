/** Sends requests over sockets, and reads the responses. */
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { type Exchange, isStale, MAX_TEXT_BYTES, toRequestHead } from './exchange.ts'
import type { UserAnswer, UserRequest } from './user-request.ts'

const toText = (chunks: readonly Buffer[]): string =>
  chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()

const readText = (message: IncomingMessage): Promise<Pick<UserAnswer, 'text' | 'isTruncated'>> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      if (size < MAX_TEXT_BYTES) chunks.push(chunk.subarray(0, MAX_TEXT_BYTES - size))
      size += chunk.length
    })
    message.on('end', () => resolve({ text: toText(chunks), isTruncated: size > MAX_TEXT_BYTES }))
    message.on('error', reject)
    message.on('close', () => reject(new Error('the connection was closed during the response')))
  })

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name])
  return plain
}

const createAddressCache = (): ((origin: string) => { host: string; port: string }) => {
  const addresses = new Map<string, { host: string; port: string }>()
  return (origin) => {
    const existing = addresses.get(origin)
    if (existing !== undefined) return existing
    const { hostname, port } = new URL(origin)
    addresses.set(origin, { host: hostname, port })
    return { host: hostname, port }
  }
}

export const createSocketExchange = (agent: Agent): Exchange => {
  const addressOf = createAddressCache()

  const openRequest = (request: UserRequest): ClientRequest =>
    httpRequest({
      agent,
      ...addressOf(request.origin),
      method: request.method,
      ...toRequestHead(request),
    })

  const exchange: Exchange = (request, signal) =>
    new Promise((resolve, reject) => {
      const { origin, body, cookies } = request
      const sent = openRequest(request)
      const abort = (): void => {
        sent.destroy()
        // A request that still waits for a connection emits no event when it is destroyed.
        reject(new Error('aborted'))
      }
      signal.addEventListener('abort', abort, { once: true })
      let isAnswered = false
      sent.on('response', (message) => {
        isAnswered = true
        readText(message).then((read) => {
          cookies.store(origin, message.headers['set-cookie'] ?? [])
          resolve({ status: message.statusCode ?? 0, headers: toHeaders(message), ...read })
        }, reject)
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (isStale(request, error, { isReused: sent.reusedSocket, signal }))
          exchange(request, signal).then(resolve, reject)
        else reject(error)
      })
      // For example, after an unrequested status 101.
      sent.on('close', () => {
        if (!isAnswered) reject(new Error('the connection was closed without a response'))
      })
      sent.end(body)
    })
  return exchange
}
