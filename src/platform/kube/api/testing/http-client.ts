/** A small HTTP client for tests. It keeps connections open and returns every answer, including errors. */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { text } from 'node:stream/consumers'

export interface TestAnswer {
  code: number
  headers: IncomingHttpHeaders
  text: string
  /** The body parsed as JSON; undefined if it is not JSON. */
  json: any
}

export interface TestRequest {
  method?: string
  /** Objects are sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface HttpClient {
  send(path: string, request?: TestRequest): Promise<TestAnswer>
  /** Resolves as soon as the headers have arrived. */
  open(path: string, request?: TestRequest): Promise<IncomingMessage>
  close(): void
}

const toBytes = (body: unknown): Buffer | string | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export const createHttpClient = (url: string, defaults: Record<string, string> = {}): HttpClient => {
  const secure = url.startsWith('https:')
  const agent = secure
    ? new TlsAgent({ keepAlive: true, rejectUnauthorized: false })
    : new Agent({ keepAlive: true })
  const open: HttpClient['open'] = (path, { method = 'GET', body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const bytes = toBytes(body)
      // Node does not set Content-Length for the body of a DELETE.
      const length: Record<string, string> =
        bytes === undefined || 'Transfer-Encoding' in headers
          ? {}
          : { 'Content-Length': String(Buffer.byteLength(bytes)) }
      // The path is sent unnormalised, to test how the server handles it.
      const options = { agent, method, path, headers: { ...defaults, ...length, ...headers } }
      const outgoing = (secure ? httpsRequest : httpRequest)(url, options, resolve)
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  return {
    open,
    async send(path, request) {
      const answer = await open(path, request)
      const body = await text(answer)
      return { code: answer.statusCode ?? 0, headers: answer.headers, text: body, json: parseJson(body) }
    },
    close: () => agent.destroy(),
  }
}
