/** Tests the probe as a process: it calls a server and exits with a code. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'grpc_health_probe.ts')

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0)) await close()
})

const runProbe = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', PROGRAM, ...args], (error, _, text) =>
      resolve({ code: error ? Number(error.code) : 0, text: text.trim() }),
    )
  })

/** Runs the fast path in bash. */
const runFastPath = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile('bash', [PROGRAM.replace(/ts$/, 'sh'), ...args], (error, _, text) =>
      resolve({ code: error ? Number(error.code) : 0, text: text.trim() }),
    )
  })

const listen = async (server: Server | ReturnType<typeof createHttp2Server>): Promise<number> => {
  server.listen(0)
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as { port: number }).port
}

/** Starts a @grpc/grpc-js server that answers with the bytes. Returns its port. */
const serveHealth = async (bytes: number[], service = 'grpc.health.v1.Health'): Promise<number> => {
  const server = new GrpcServer()
  const identity = (value: Buffer): Buffer => value
  server.addService(
    {
      Check: {
        path: `/${service}/Check`,
        requestStream: false,
        responseStream: false,
        requestSerialize: identity,
        requestDeserialize: identity,
        responseSerialize: identity,
        responseDeserialize: identity,
      },
    },
    { Check: (_: unknown, done: (error: null, answer: Buffer) => void) => done(null, Buffer.from(bytes)) },
  )
  cleanups.push(() => server.forceShutdown())
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  )
}

test('exits with 0 if healthy, 4 if not serving, 3 if the server has no health service', async () => {
  expect(await runProbe(`-addr=:${await serveHealth([8, 1])}`)).toEqual({ code: 0, text: 'status: SERVING' })
  expect(await runProbe('--addr', `localhost:${await serveHealth([8, 2])}`, '-rpc-timeout=5s')).toEqual({
    code: 4,
    text: 'service unhealthy (responded with "NOT_SERVING")',
  })
  expect(await runProbe(`-addr=:${await serveHealth([8, 1], 'other.Service')}`)).toMatchObject({
    code: 3,
    text: expect.stringContaining('does not implement the grpc health protocol'),
  })
})

test('exits with 2 if it cannot connect, and with 3 if the call times out', async () => {
  const closed = createServer()
  const port = await listen(closed)
  closed.close()
  expect(await runProbe(`-addr=127.0.0.1:${port}`, '-connect-timeout=300ms')).toEqual({
    code: 2,
    text: `timeout: failed to connect service "127.0.0.1:${port}" within 300ms`,
  })
  const sockets: Socket[] = []
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  const silentPort = await listen(createServer((socket) => sockets.push(socket)))
  expect(await runProbe(`-addr=:${silentPort}`, '-connect-timeout=200ms')).toMatchObject({ code: 2 })
  const slow = createHttp2Server()
  slow.on('stream', (stream: ServerHttp2Stream) => stream.on('error', () => {}))
  expect(await runProbe(`-addr=:${await listen(slow)}`, '-rpc-timeout=200ms')).toEqual({
    code: 3,
    text: 'timeout: health rpc did not complete within 200ms',
  })
})

test('reads status codes of two digits', async () => {
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream) =>
    stream.respond({ ':status': 200, 'grpc-status': '14' }, { endStream: true }),
  )
  expect(await runProbe(`-addr=:${await listen(server)}`)).toMatchObject({
    code: 3,
    text: expect.stringContaining('code = 14'),
  })
})

test('exits with 1 for invalid arguments', async () => {
  expect(await runProbe()).toEqual({ code: 1, text: 'error: -addr not specified' })
  expect(await runProbe('-addr=:1', '-rpc-timeout=soon')).toMatchObject({ code: 1 })
  expect(await runProbe('-addr=:1', '-tls')).toMatchObject({ code: 1 })
})

test('succeeds on the fast path for a healthy server only', async () => {
  const healthy = `-addr=:${await serveHealth([8, 1])}`
  expect(await runFastPath(healthy, '-rpc-timeout=5s')).toEqual({ code: 0, text: 'status: SERVING' })
  const failed = { code: 1, text: '' }
  expect(await runFastPath(`-addr=:${await serveHealth([8, 2])}`)).toEqual(failed)
  expect(await runFastPath(`-addr=:${await serveHealth([8, 1], 'other.Service')}`)).toEqual(failed)
  expect(await runFastPath('-addr=:1')).toEqual(failed)
  expect(await runFastPath(healthy, '-service=shop')).toEqual(failed)
  expect(await runFastPath()).toEqual(failed)
})
