/** The probe as pods run it: a process that asks a server and ends with a code. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'grpc_health_probe.ts')

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const probe = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', PROGRAM, ...args], (error, _, text) =>
      resolve({ code: error ? Number(error.code) : 0, text: text.trim() }),
    )
  })

/** In bash, before the program. */
const shortWay = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile('bash', [PROGRAM.replace(/ts$/, 'sh'), ...args], (error, _, text) =>
      resolve({ code: error ? Number(error.code) : 0, text: text.trim() }),
    )
  })

const listen = async (server: Server | ReturnType<typeof createHttp2Server>): Promise<number> => {
  server.listen(0)
  await once(server, 'listening')
  closing.push(() => server.close())
  return (server.address() as { port: number }).port
}

/** A server of the library, so that both ends are not ours; it answers these bytes. */
const serveHealth = async (bytes: number[], service = 'grpc.health.v1.Health'): Promise<number> => {
  const server = new GrpcServer()
  const same = (value: Buffer): Buffer => value
  server.addService(
    {
      Check: {
        path: `/${service}/Check`,
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    { Check: (_: unknown, done: (error: null, answer: Buffer) => void) => done(null, Buffer.from(bytes)) },
  )
  closing.push(() => server.forceShutdown())
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  )
}

test('a healthy server is 0, one that does not serve 4, one without the service 3', async () => {
  expect(await probe(`-addr=:${await serveHealth([8, 1])}`)).toEqual({ code: 0, text: 'status: SERVING' })
  expect(await probe('--addr', `localhost:${await serveHealth([8, 2])}`, '-rpc-timeout=5s')).toEqual({
    code: 4,
    text: 'service unhealthy (responded with "NOT_SERVING")',
  })
  expect(await probe(`-addr=:${await serveHealth([8, 1], 'other.Service')}`)).toMatchObject({
    code: 3,
    text: expect.stringContaining('does not implement the grpc health protocol'),
  })
})

test('nobody there and a port that says nothing are 2, a call that is not answered 3', async () => {
  const closed = createServer()
  const port = await listen(closed)
  closed.close()
  expect(await probe(`-addr=127.0.0.1:${port}`, '-connect-timeout=300ms')).toEqual({
    code: 2,
    text: `timeout: failed to connect service "127.0.0.1:${port}" within 300ms`,
  })
  const held: Socket[] = []
  closing.push(() => {
    for (const socket of held) socket.destroy()
  })
  const mute = await listen(createServer((socket) => held.push(socket)))
  expect(await probe(`-addr=:${mute}`, '-connect-timeout=200ms')).toMatchObject({ code: 2 })
  const slow = createHttp2Server()
  slow.on('stream', (stream: ServerHttp2Stream) => stream.on('error', () => {}))
  expect(await probe(`-addr=:${await listen(slow)}`, '-rpc-timeout=200ms')).toEqual({
    code: 3,
    text: 'timeout: health rpc did not complete within 200ms',
  })
})

test('codes of two digits are read from what HPACK packed', async () => {
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream) =>
    stream.respond({ ':status': 200, 'grpc-status': '14' }, { endStream: true }),
  )
  expect(await probe(`-addr=:${await listen(server)}`)).toMatchObject({
    code: 3,
    text: expect.stringContaining('code = 14'),
  })
})

test('arguments that make no sense are 1', async () => {
  expect(await probe()).toEqual({ code: 1, text: 'error: -addr not specified' })
  expect(await probe('-addr=:1', '-rpc-timeout=soon')).toMatchObject({ code: 1 })
  expect(await probe('-addr=:1', '-tls')).toMatchObject({ code: 1 })
})

test('the short way knows a healthy server, and leaves all else to the program', async () => {
  const healthy = `-addr=:${await serveHealth([8, 1])}`
  expect(await shortWay(healthy, '-rpc-timeout=5s')).toEqual({ code: 0, text: 'status: SERVING' })
  const silent = { code: 1, text: '' }
  expect(await shortWay(`-addr=:${await serveHealth([8, 2])}`)).toEqual(silent)
  expect(await shortWay(`-addr=:${await serveHealth([8, 1], 'other.Service')}`)).toEqual(silent)
  expect(await shortWay('-addr=:1')).toEqual(silent)
  expect(await shortWay(healthy, '-service=shop')).toEqual(silent)
  expect(await shortWay()).toEqual(silent)
})
