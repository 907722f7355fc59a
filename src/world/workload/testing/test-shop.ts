/** A small web shop that listens on a socket, for tests of the client and the generator. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { OpenEntryPoint } from '#spec'
import { answerShopRequest, type ShopRequest } from './shop-routes.ts'

export interface TestShop {
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly origin: string
  /** All requests so far. */
  readonly requests: ShopRequest[]
  /** The number of connections so far. */
  readonly connections: () => number
  close(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const answer = (request: ShopRequest, response: ServerResponse): void => {
  const answered = answerShopRequest(request)
  if (answered === 'silence') return
  if (answered === 'upgrade') {
    response.writeHead(101, { connection: 'upgrade', upgrade: 'something' }).end()
  } else if (answered === 'cut') {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half')
    setTimeout(() => response.destroy(), 10)
  } else {
    const { status = 200, headers = {}, cookies = [], body = '' } = answered
    response
      .writeHead(status, { ...headers, ...(cookies.length === 0 ? {} : { 'set-cookie': [...cookies] }) })
      .end(body)
  }
}

export const openTestShop = async (): Promise<TestShop> => {
  const requests: ShopRequest[] = []
  let connections = 0
  const server = createServer(async (incoming, response) => {
    const line = `${incoming.method} ${incoming.url}`
    const request = { line, headers: incoming.headers, body: await readBody(incoming) }
    requests.push(request)
    answer(request, response)
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
