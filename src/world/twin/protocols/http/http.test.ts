/** Tests the HTTP server and client on real sockets. */
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type {
  ClientOptions,
  IncomingRequest,
  ListeningServer,
  OutgoingAnswer,
  ServiceClient,
} from '#world/twin/ports'
import { createHttpClient } from './create-http-client.ts'
import { startHttpServer } from './start-http-server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const startServer = async (
  handler: (request: IncomingRequest) => Promise<OutgoingAnswer>,
): Promise<ListeningServer> => {
  const server = await startHttpServer({ port: 0, handler })
  cleanups.push(() => server.close(0))
  return server
}

const createClient = (port: number, options: Partial<ClientOptions> = {}): ServiceClient => {
  const client = createHttpClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  cleanups.push(() => client.close())
  return client
}

const echo = async (request: IncomingRequest): Promise<OutgoingAnswer> => ({
  status: 200,
  body: { method: request.method, path: request.path, query: request.query, body: request.body },
})

/** Starts a server that handles raw connections, so that it can violate HTTP. */
const startRawServer = async (onConnection: (socket: Socket) => void): Promise<number> => {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    cleanups.push(() => socket.destroy())
    onConnection(socket)
  })
  cleanups.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

describe('HTTP', () => {
  it('carries method, path, query and JSON in both directions', async () => {
    const { port } = await startServer(echo)
    const answer = await createClient(port).call({
      method: 'POST',
      target: '/a/b?x=1&y=%20',
      headers: {},
      body: { n: [1] },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ method: 'POST', path: '/a/b', query: { x: '1', y: ' ' }, body: { n: [1] } })
  })

  it('parses forms and text', async () => {
    const { port } = await startServer(echo)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const client = createClient(port)
    const first = await client.call({
      method: 'POST',
      target: '/',
      headers: form,
      raw: Buffer.from('a=1&b=x+y'),
    })
    expect(first.body).toMatchObject({ body: { a: '1', b: 'x y' } })
    const second = await client.call({ method: 'POST', target: '/', headers: {}, body: 'plain' })
    expect(second.body).toMatchObject({ body: 'plain' })
    const third = await client.call({ method: 'GET', target: '/', headers: {} })
    expect(third.body).toMatchObject({ body: null })
  })

  it('sends text and bytes unchanged, and HTML with its content type', async () => {
    const { port } = await startServer(async ({ path }) => {
      if (path === '/raw')
        return { status: 201, headers: { 'x-kind': 'raw' }, body: null, raw: Buffer.from([0, 255]) }
      return { status: 200, body: path === '/page' ? '<!doctype html><p>' : 'text' }
    })
    const client = createClient(port)
    const raw = await client.call({ method: 'GET', target: '/raw', headers: {} })
    expect([raw.status, raw.headers['x-kind'], [...raw.raw!]]).toEqual([201, 'raw', [0, 255]])
    const page = await client.call({ method: 'GET', target: '/page', headers: {} })
    expect(page.headers['content-type']).toContain('text/html')
    expect((await client.call({ method: 'GET', target: '/', headers: {} })).body).toBe('text')
  })

  it('resolves with any status, and reports a malformed JSON body', async () => {
    const { port } = await startServer(async (request) => {
      try {
        return { status: 200, body: request.body }
      } catch (error) {
        return { status: 400, body: (error as Error).message }
      }
    })
    const json = { 'content-type': 'application/json' }
    const answer = await createClient(port).call({
      method: 'POST',
      target: '/',
      headers: json,
      raw: Buffer.from('{"a":'),
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('JSON parse error')
  })

  it('answers 500 if a response cannot be encoded in HTTP, and keeps serving', async () => {
    const answers: OutgoingAnswer[] = [
      { status: 200, headers: { location: '/caf\u00e9\n\u4e00' }, body: '' },
      { status: Number.NaN, body: '' },
      { status: 200, body: 'well' },
    ]
    const { port } = await startServer(async () => answers.shift()!)
    const getStatus = async () =>
      (await createClient(port).call({ method: 'GET', target: '/', headers: {} })).status
    expect([await getStatus(), await getStatus(), await getStatus()]).toEqual([500, 500, 200])
  })

  it('reuses connections, and resolves the address only for new ones', async () => {
    const { port } = await startServer(echo)
    let lookups = 0
    const address = async () => {
      lookups += 1
      return { host: '127.0.0.1', port }
    }
    const client = createClient(port, { address })
    for (let count = 0; count < 5; count += 1) await client.call({ method: 'GET', target: '/', headers: {} })
    expect(lookups).toBe(1)
  })

  it('distinguishes refused connections, unknown names, resets and timeouts', async () => {
    const get = { method: 'GET', target: '/', headers: {} }
    const silentPort = await startRawServer(() => {})
    await expect(createClient(silentPort).call({ ...get, timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
    })
    const resettingPort = await startRawServer((socket) => socket.once('data', () => socket.destroy()))
    await expect(createClient(resettingPort).call(get)).rejects.toMatchObject({ kind: 'reset' })
    const truncatingPort = await startRawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')),
    )
    await expect(createClient(truncatingPort).call(get)).rejects.toMatchObject({ kind: 'reset' })
    const { port, close } = await startHttpServer({ port: 0, handler: echo })
    await close()
    await expect(createClient(port).call(get)).rejects.toMatchObject({ kind: 'refused' })
    const unresolvable = createClient(1, { address: async () => ({ host: 'no-such-host.invalid', port: 1 }) })
    await expect(unresolvable.call(get)).rejects.toMatchObject({ kind: 'name' })
  })

  it('limits concurrent calls, and the time that a call waits', async () => {
    let open = 0
    let maxOpen = 0
    const { port } = await startServer(async () => {
      open += 1
      maxOpen = Math.max(maxOpen, open)
      await new Promise((resolve) => setTimeout(resolve, 60))
      open -= 1
      return { status: 200, body: null }
    })
    const get = { method: 'GET', target: '/', headers: {} }
    const unlimitedWait = createClient(port, { poolSize: 2 })
    await Promise.all([1, 2, 3, 4].map(() => unlimitedWait.call(get)))
    expect(maxOpen).toBe(2)
    const limitedWait = createClient(port, { poolSize: 1, poolWaitMs: 10 })
    const [first, second] = await Promise.allSettled([limitedWait.call(get), limitedWait.call(get)])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { kind: 'pool' } })
  })

  it('retries idempotent calls whose reused connection was closed', async () => {
    let connections = 0
    const port = await startRawServer((socket) => {
      connections += 1
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests > 1) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    const client = createClient(port)
    await client.call({ method: 'GET', target: '/', headers: {} })
    expect((await client.call({ method: 'GET', target: '/', headers: {} })).status).toBe(200)
    expect(connections).toBe(2)
    await expect(client.call({ method: 'POST', target: '/', headers: {} })).rejects.toMatchObject({
      kind: 'reset',
    })
  })

  it('completes pending requests before the server closes, for a limited time', async () => {
    const respondAfter = (ms: number) => async (): Promise<OutgoingAnswer> => {
      await new Promise((resolve) => setTimeout(resolve, ms))
      return { status: 200, body: 'done' }
    }
    const get = { method: 'GET', target: '/', headers: {} }
    const completing = await startHttpServer({ port: 0, handler: respondAfter(80) })
    const answer = createClient(completing.port).call(get)
    await new Promise((resolve) => setTimeout(resolve, 30))
    await completing.close(2000)
    expect((await answer).body).toBe('done')
    const aborting = await startHttpServer({ port: 0, handler: respondAfter(5000) })
    const aborted = createClient(aborting.port).call(get)
    await new Promise((resolve) => setTimeout(resolve, 30))
    await Promise.all([aborting.close(20), expect(aborted).rejects.toMatchObject({ kind: 'reset' })])
  })
})
