/** Tests gRPC between the twin's server and client, and with the library @grpc/grpc-js. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer, RequestHandler, ServiceClient } from '#world/twin/ports'
import { createGrpcClient } from './create-grpc-client.ts'
import { startGrpcServer } from './start-grpc-server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const echo: RequestHandler = async ({ path, headers, body }) => {
  if (path === 'Fail') return { status: 5, body: 'no such café: 100 %' }
  if (path === 'Slow') await new Promise((resolve) => setTimeout(resolve, 300))
  return { status: 0, headers: { 'x-seen': headers['x-asked'] ?? '' }, body: { path, body } }
}

const startServer = async (port = 0, handler: RequestHandler = echo): Promise<ListeningServer> => {
  const server = await startGrpcServer({ port, handler, rpc: 'shop.Cart' })
  cleanups.push(() => server.close())
  return server
}

const createClient = (port: number): ServiceClient => {
  const client = createGrpcClient({ address: async () => ({ host: '127.0.0.1', port }) })
  cleanups.push(() => client.close())
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

test('carries messages and metadata in both directions', async () => {
  const client = createClient((await startServer()).port)
  const message = { user: 'Jürgen', items: Array.from({ length: 20_000 }, (_, index) => index) }
  const answer = await call(client, 'shop.Cart/Get', message)
  expect(answer).toMatchObject({
    status: 0,
    headers: { 'x-seen': 'yes' },
    body: { path: 'Get', body: message },
  })
})

test('reports the code and message of a failed call', async () => {
  const client = createClient((await startServer()).port)
  await expect(call(client, 'shop.Cart/Fail')).rejects.toMatchObject({
    kind: 'answer',
    status: 5,
    message: 'no such café: 100 %',
  })
  await expect(call(client, 'shop.Other/Get')).rejects.toMatchObject({ kind: 'answer', status: 12 })
})

test('rejects an oversized message and keeps the connection', async () => {
  const client = createClient((await startServer()).port)
  await expect(call(client, 'shop.Cart/Get', 'x'.repeat(5_000_000))).rejects.toMatchObject({
    kind: 'answer',
    status: 8,
  })
  await expect(call(client, 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})

test('ends a call at its deadline and keeps the connection', async () => {
  const client = createClient((await startServer()).port)
  const slowCall = call(client, 'shop.Cart/Slow')
  await expect(call(client, 'shop.Cart/Slow', {}, 40)).rejects.toMatchObject({
    kind: 'timeout',
    message: 'context deadline exceeded',
  })
  await expect(slowCall).resolves.toMatchObject({ status: 0 })
})

test('fails pending calls of a lost connection and reconnects for the next', async () => {
  const first = await startServer()
  const client = createClient(first.port)
  const pendingCall = call(client, 'shop.Cart/Slow')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.all([expect(pendingCall).rejects.toMatchObject({ kind: 'reset' }), first.close()])
  await startServer(first.port)
  await expect(call(client, 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})

test('completes pending calls before the server closes', async () => {
  const server = await startServer()
  const client = createClient(server.port)
  const pendingCall = call(client, 'shop.Cart/Slow')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await server.close(5000)
  await expect(pendingCall).resolves.toMatchObject({ status: 0 })
})

test('fails at once and reports the reason while no server listens', async () => {
  const stopped = await startServer()
  await stopped.close()
  const client = createClient(stopped.port)
  await expect(call(client, 'shop.Cart/Get')).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/^connection error: .*ECONNREFUSED/),
  })
  await startServer(stopped.port)
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

test('balances calls over all addresses of a name and skips lost ones', async () => {
  const served: number[] = []
  const serveAs = (index: number) =>
    startServer(0, async () => {
      served.push(index)
      return { status: 0, body: null }
    })
  const servers = [await serveAs(0), await serveAs(1)]
  const ports = servers.map(({ port }) => port)
  let turn = 0
  const client = createGrpcClient({
    address: async () => ({ host: '127.0.0.1', port: ports[turn++ % ports.length]! }),
  })
  cleanups.push(() => client.close())
  const callTenTimes = async () => {
    served.length = 0
    for (let count = 0; count < 10; count++) await call(client, 'shop.Cart/Get')
    return new Set(served)
  }
  await expect.poll(callTenTimes).toEqual(new Set([0, 1]))
  await servers[0]!.close()
  expect(await callTenTimes()).toEqual(new Set([1]))
  ports[0] = (await serveAs(2)).port
  await expect.poll(callTenTimes).toEqual(new Set([1, 2]))
})

test('fails at the deadline if the port accepts connections but does not answer', async () => {
  const sockets: Socket[] = []
  const silentServer = createServer((socket) => sockets.push(socket)).listen(0)
  await once(silentServer, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    silentServer.close()
  })
  const client = createClient((silentServer.address() as { port: number }).port)
  await expect(call(client, 'shop.Cart/Get', {}, 60)).rejects.toMatchObject({ kind: 'timeout' })
})

/** Calls a method through the library, with messages as bytes. */
const callWithLibrary = (port: number, path: string, message: Buffer): Promise<Buffer> => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  cleanups.push(() => client.close())
  const identity = (bytes: Buffer): Buffer => bytes
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(path, identity, identity, message, (error, answer) =>
      error ? reject(error) : resolve(answer!),
    ),
  )
}

test('answers the health check in protobuf', async () => {
  const { port } = await startServer()
  expect([...(await callWithLibrary(port, '/grpc.health.v1.Health/Check', Buffer.alloc(0)))]).toEqual([8, 1])
  await expect(callWithLibrary(port, '/grpc.health.v1.Other/Check', Buffer.alloc(0))).rejects.toMatchObject({
    code: 12,
  })
  await expect(callWithLibrary(port, '/shop.Cart/Get', Buffer.from([8, 1]))).rejects.toMatchObject({
    code: 13,
  })
})

test('keeps serving after a client that does not speak HTTP/2', async () => {
  const { port } = await startServer()
  const { connect: open } = await import('node:net')
  const socket = open(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket.resume(), 'close')
  await expect(call(createClient(port), 'shop.Cart/Get')).resolves.toMatchObject({ status: 0 })
})
