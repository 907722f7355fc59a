/** Sends requests to the cluster under test, over TLS connections that are kept alive. */
import { Agent, type Dispatcher } from 'undici'

/** The URL of a server, and the credentials of its administrator. */
export interface ServerAccess {
  url: string
  token: string
  certificateAuthority: string
}

export interface ApiClient {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<string>
  /** Passes each line of the body to `onLine`, until the returned function is called. */
  watch(path: string, onLine: (line: string) => void): Promise<() => void>
  close(): Promise<void>
}

export const createApiClient = (cluster: ServerAccess, connections: number): ApiClient => {
  const agent = new Agent({
    connections,
    pipelining: 1,
    connect: { ca: cluster.certificateAuthority },
    bodyTimeout: 0,
  })
  const common = { authorization: `Bearer ${cluster.token}`, 'user-agent': 'bench' }

  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    agent.request({
      origin: cluster.url,
      path,
      method: method as Dispatcher.HttpMethod,
      headers: {
        ...common,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  return {
    async send(method, path, body, headers) {
      const response = await request(method, path, body, headers)
      const text = await response.body.text()
      if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`)
      return text
    },
    async watch(path, onLine) {
      const response = await request('GET', path)
      let rest = ''
      response.body.setEncoding('utf8')
      response.body.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onLine(line)
      })
      response.body.on('error', () => {})
      return () => response.body.destroy()
    },
    close: () => agent.destroy(),
  }
}
