/** A small web shop for tests of the client and the generator. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { OpenEntryPoint } from '#spec'

export interface TestShop {
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly origin: string
  /** All requests so far; `line` is `METHOD /target`. */
  readonly requests: {
    readonly line: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  readonly connections: () => number
  close(): Promise<void>
}

type Route = (response: ServerResponse, body: string, request: IncomingMessage) => void

/** A list of 6 MB. */
const HUGE = Buffer.from(`[${'{},'.repeat(2_000_000)}{}]`)

const ROUTES: Readonly<Record<string, Route>> = {
  'GET /ok': (response) => response.end('fine'),
  'GET /empty-shop': (response) =>
    response.setHeader('content-type', 'application/json').end('{"items": []}'),
  'GET /broken': (response) => response.writeHead(500).end('no   stock\ntoday'),
  'GET /silent': () => {},
  'GET /huge': (response) => response.setHeader('content-type', 'application/json').end(HUGE),
  'GET /cut': (response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half')
    setTimeout(() => response.destroy(), 10)
  },
  'GET /upgrade': (response) =>
    response.writeHead(101, { connection: 'upgrade', upgrade: 'something' }).end(),
  'POST /login': (response, body) =>
    response
      .writeHead(302, {
        location: '/home?from=login',
        'set-cookie': [`session=${body}; Path=/`, 'old=; Max-Age=0'],
      })
      .end(),
  'GET /home?from=login': (response, _, { headers }) => response.end(`hello ${headers.cookie}`),
  'GET /around': (response) => response.writeHead(302, { location: '/around' }).end(),
  'GET /away': (response) => response.writeHead(302, { location: 'http://elsewhere.invalid/' }).end('away'),
  'POST /echo': (response, body, { headers }) =>
    response.end(JSON.stringify({ body, type: headers['content-type'] })),
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

export const openTestShop = async (): Promise<TestShop> => {
  const requests: TestShop['requests'] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`
    const body = await readBody(request)
    requests.push({ line, headers: request.headers, body })
    const route = ROUTES[line]
    if (route === undefined) response.writeHead(404).end()
    else route(response, body, request)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    entryPoints: [{ name: 'shop', url: `${origin}/start` }],
    origin,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
