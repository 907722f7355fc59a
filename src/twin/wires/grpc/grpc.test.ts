/** gRPC between our own server and client, and between our server and a client of the library everybody uses. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer, RequestHandler, ServiceClient } from '../../ports/index.ts'
import { createGrpcClient } from './create-grpc-client.ts'
import { startGrpcServer } from './start-grpc-server.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const echo: RequestHandler = async ({ path, headers, body }) => {
  if (path === 'Fail') return { status: 5, body: 'kein Wägelchen: 100 %' }
  if (path === 'Slow') await new Promise((resolve) => setTimeout(resolve, 300))
  return { status: 0, headers: { 'x-seen': headers['x-asked'] ?? '' }, body: { path, body } }
}

const serve = async (port = 0, handler: RequestHandler = echo): Promise<ListeningServer> => {
  const server = await startGrpcServer({ port, handler, rpc: 'shop.Cart' })
  closing.push(() => server.close())
  return server
}

const connect = (port: number): ServiceClient => {
  const client = createGrpcClient({ address: async () => ({ host: '127.0.0.1', port }) })
  closing.push(() => client.close())
  return client
}

const call = (client: ServiceClient, target: string, body?: unknown, timeoutMs?: number) =>
  client.call({
    method: 'RPC',
    target,
    headers: { 'x-asked': 'yes' },
    body,
    ...(timeoutMs ? { timeoutMs } : {}),
  })

test('a call carries its message and its metadata there and back', async () => {
  const client = connect((await serve()).port)
  const message = { user: 'Jürgen', items: Array.from({ length: 20_000 }, (_, index) => index) }
  const answer = await call(client, 'shop.Cart/Get', message)
  expect(answer).toMatchObject({
    status: 0,
    headers: { 'x-seen': 'yes' },
    body: { path: 'Get', body: message },
  })
})

test('a failure has the code and the words of the server', async () => {
  const client = connect((await serve()).port)
  await expect(call(client, 'shop.Cart/Fail')).rejects.toMatchObject({
    kind: 'answer',
    status: 5,
    message: 'kein Wägelchen: 100 %',
  })
  await expect(call(client, 'shop.Other/Get')).rejects.toMatchObject({ kind: 'answer', status: 12 })
})

test('a message that is too large is refused, and the connection stays', async () => {
  const client = connect((await serve()).port)
  await expect(call(client, 'shop.Cart/Get', 'x'.repeat(5_000_000))).rejects.toMatchObject({
    kind: 'answer',
    status: 8,
  })
  await expect(call(client, 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})

test('a deadline ends a call that is on its way, and leaves the connection to others', async () => {
  const client = connect((await serve()).port)
  const other = call(client, 'shop.Cart/Slow')
  await expect(call(client, 'shop.Cart/Slow', {}, 40)).rejects.toMatchObject({
    kind: 'timeout',
    message: 'context deadline exceeded',
  })
  await expect(other).resolves.toMatchObject({ status: 0 })
})

test('a lost connection fails what is on its way, and the next call makes a new one', async () => {
  const first = await serve()
  const client = connect(first.port)
  const waiting = call(client, 'shop.Cart/Slow')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.all([expect(waiting).rejects.toMatchObject({ kind: 'reset' }), first.close()])
  await serve(first.port)
  await expect(call(client, 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})

test('a server that is asked to close lets calls end that are on their way', async () => {
  const server = await serve()
  const client = connect(server.port)
  const waiting = call(client, 'shop.Cart/Slow')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await server.close(5000)
  await expect(waiting).resolves.toMatchObject({ status: 0 })
})

test('while nobody listens, calls fail at once and say why', async () => {
  const gone = await serve()
  await gone.close()
  const client = connect(gone.port)
  await expect(call(client, 'shop.Cart/Get')).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/^connection error: .*ECONNREFUSED/),
  })
  await serve(gone.port)
  await expect(call(client, 'shop.Cart/Get')).rejects.toMatchObject({ kind: 'refused' })
  await expect
    .poll(() =>
      call(client, 'shop.Cart/Get').then(
        ({ status }) => status,
        () => -1,
      ),
    )
    .toBe(0)
})

test('where a name has several addresses, calls go to each in turn, and around those that are gone', async () => {
  const served: number[] = []
  const serveAs = (place: number) =>
    serve(0, async () => {
      served.push(place)
      return { status: 0, body: null }
    })
  const servers = [await serveAs(0), await serveAs(1)]
  const ports = servers.map(({ port }) => port)
  let turn = 0
  const client = createGrpcClient({
    address: async () => ({ host: '127.0.0.1', port: ports[turn++ % ports.length]! }),
  })
  closing.push(() => client.close())
  const callOften = async () => {
    served.length = 0
    for (let count = 0; count < 10; count++) await call(client, 'shop.Cart/Get')
    return new Set(served)
  }
  await expect.poll(callOften).toEqual(new Set([0, 1]))
  await servers[0]!.close()
  expect(await callOften()).toEqual(new Set([1]))
  ports[0] = (await serveAs(2)).port
  await expect.poll(callOften).toEqual(new Set([1, 2]))
})

test('a port that accepts and says nothing is no server: the deadline passes', async () => {
  const held: Socket[] = []
  const mute = createServer((socket) => held.push(socket)).listen(0)
  await once(mute, 'listening')
  closing.push(() => {
    for (const socket of held) socket.destroy()
    mute.close()
  })
  const client = connect((mute.address() as { port: number }).port)
  await expect(call(client, 'shop.Cart/Get', {}, 60)).rejects.toMatchObject({ kind: 'timeout' })
})

/** With the library, of messages that are bytes. */
const ask = (port: number, path: string, message: Buffer): Promise<Buffer> => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  closing.push(() => client.close())
  const same = (bytes: Buffer): Buffer => bytes
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(path, same, same, message, (error, answer) =>
      error ? reject(error) : resolve(answer!),
    ),
  )
}

test('the health check of other clients is answered in protobuf', async () => {
  const { port } = await serve()
  expect([...(await ask(port, '/grpc.health.v1.Health/Check', Buffer.alloc(0)))]).toEqual([8, 1])
  await expect(ask(port, '/grpc.health.v1.Other/Check', Buffer.alloc(0))).rejects.toMatchObject({ code: 12 })
  await expect(ask(port, '/shop.Cart/Get', Buffer.from([8, 1]))).rejects.toMatchObject({ code: 13 })
})

test('a peer that does not speak HTTP/2 harms nobody', async () => {
  const { port } = await serve()
  const { connect: open } = await import('node:net')
  const socket = open(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket.resume(), 'close')
  await expect(call(connect(port), 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})
