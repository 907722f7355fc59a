/** Tests the gRPC server with the library @grpc/grpc-js and with malformed input. The contract suite covers the rest. */
import { once } from 'node:events'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer, RequestHandler, ServiceClient } from '#world/twin/ports'
import { createGrpcClient } from './create-grpc-client.ts'
import { startGrpcServer } from './start-grpc-server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const echo: RequestHandler = async ({ path, body }) => ({ status: 0, body: { path, body } })

const startServer = async (): Promise<ListeningServer> => {
  const server = await startGrpcServer({ port: 0, handler: echo, rpc: 'shop.Cart' })
  cleanups.push(() => server.close())
  return server
}

const createClient = (port: number): ServiceClient => {
  const client = createGrpcClient({ address: async () => ({ host: '127.0.0.1', port }) })
  cleanups.push(() => client.close())
  return client
}

const call = (client: ServiceClient, target: string) => client.call({ method: 'RPC', target, headers: {} })

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
