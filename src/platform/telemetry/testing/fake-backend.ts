/** A local HTTP server that responds with JSON, as telemetry backends do. */
import { createServer } from 'node:http'

export interface FakeBackend {
  readonly url: string
  close(): Promise<void>
}

export interface FakeResponse {
  readonly status?: number
  readonly body: unknown
}

/** Returns undefined for an unknown path. */
export type HandleRequest = (path: string, parameters: URLSearchParams) => FakeResponse | undefined

export const startFakeBackend = async (handle: HandleRequest): Promise<FakeBackend> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    const { status = 200, body } = handle(pathname, searchParams) ?? { status: 404, body: 'page not found' }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Labels = Readonly<Record<string, string>>

const MATCHER = /\s*([a-zA-Z_]\w*)\s*(=~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)/gy

/** Parses the label matchers of PromQL and LogQL; returns undefined if they are invalid. */
export const parseMatchers = (text: string): ((labels: Labels) => boolean) | undefined => {
  const tests: ((labels: Labels) => boolean)[] = []
  MATCHER.lastIndex = 0
  while (MATCHER.lastIndex < text.length) {
    const match = MATCHER.exec(text)
    if (match === null) return undefined
    const [, name, operator, quoted] = match
    const value: string = JSON.parse(quoted!)
    // Both languages anchor patterns at both ends.
    const pattern = operator === '=~' ? new RegExp(`^(?:${value})$`) : undefined
    tests.push((labels) => {
      const labelValue = labels[name!] ?? ''
      if (pattern !== undefined) return pattern.test(labelValue)
      return operator === '=' ? labelValue === value : labelValue !== value
    })
  }
  return (labels) => tests.every((test) => test(labels))
}
