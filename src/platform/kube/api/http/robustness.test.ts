/** Tests the server on a real socket against clients that send invalid data, stall, stop reading or disconnect. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import { createCertificateAuthority } from '#platform/kube/auth'
import { createTestService, type TestService, testAuthenticator } from '../testing/create-test-api.ts'
import { createHttpClient, type HttpClient } from '../testing/http-client.ts'
import { type ApiServer, createApiServer } from './create-api-server.ts'

const realClock = createRealClock()
const authority = createCertificateAuthority(realClock)
const certificate = authority.issueServer(['127.0.0.1'])

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const BACKLOG_BYTES = 256 * 1024

let service: TestService
let server: ApiServer
let client: HttpClient
let unexpected: unknown[]
let sockets: Socket[]

beforeEach(async () => {
  service = createTestService()
  unexpected = []
  sockets = []
  server = await createApiServer({
    service: service.service,
    authenticator: testAuthenticator,
    nodes: { runtimeOf: () => undefined },
    tls: { ...certificate, clientAuthority: authority.certificate },
    realClock,
    onUnexpected: (error) => unexpected.push(error),
    clientLimits: {
      headersTimeoutMs: 300,
      requestTimeoutMs: 600,
      keepAliveTimeoutMs: 400,
      checkIntervalMs: 50,
      stalledWatchMs: 400,
      watchBacklogBytes: BACKLOG_BYTES,
    },
  })
  client = createHttpClient(server.url, { Authorization: 'Bearer admin' })
})

afterEach(async () => {
  // The server still answers and has reported no unexpected errors.
  const { code } = await client.send('/version')
  for (const socket of sockets) socket.destroy()
  client.close()
  await server.close()
  expect(code).toBe(200)
  expect(unexpected).toEqual([])
})

const openTcp = (): Socket => {
  const socket = connectTcp(server.port, server.host)
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

const openTls = async (tcp = openTcp()): Promise<TLSSocket> => {
  const socket = connectTls({ socket: tcp, rejectUnauthorized: false })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** Reads until the server closes the connection. */
const readUntilClosed = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

/** Sends raw bytes over TLS and returns the whole answer. */
const exchange = async (bytes: string | Buffer): Promise<string> => {
  const socket = await openTls()
  socket.write(bytes)
  return readUntilClosed(socket)
}

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', 'Authorization: Bearer admin', ...headers].join('\r\n')}\r\n\r\n`

const codesOf = (answer: string): (string | undefined)[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)

const createConfigMap = (name: string, data: Record<string, string> = {}): Promise<{ code: number }> =>
  client.send(CONFIG_MAPS, { method: 'POST', body: { metadata: { name }, data } })

describe('invalid HTTP', () => {
  it.each([
    ['rubbish', 'hello\r\n\r\n'],
    ['a bad method', 'FROB / HTTP/1.1\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['two lengths', head('POST / HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    ['a length and chunks', head('POST / HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a negative length', head('POST / HTTP/1.1', 'Content-Length: -1')],
    ['a null byte', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s is answered with 400', async (_, bytes) => {
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('headers over 1 MB are answered with 431', async () => {
    const bytes = head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(1024 * 1024)}`)
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('an invalid chunk is answered with 400', async () => {
    const bytes = `${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Transfer-Encoding: chunked')}zz\r\n`
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('plain HTTP on the TLS port closes the connection', async () => {
    const socket = openTcp()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await readUntilClosed(socket)
  })

  it('a TLS record that is cut off closes the connection', async () => {
    const socket = openTcp()
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]))
    socket.end()
    await readUntilClosed(socket)
  })
})

describe('a server that receives unusual HTTP', () => {
  it('accepts HTTP/1.0', async () => {
    const answer = await exchange(head('GET /version HTTP/1.0'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('Connection: close')
    expect(answer).toContain('"minor":"32"')
  })

  it('answers pipelined requests in order', async () => {
    const answer = await exchange(
      head('GET /healthz HTTP/1.1') +
        head('GET /nowhere HTTP/1.1') +
        head('GET /livez HTTP/1.1', 'Connection: close'),
    )
    expect(codesOf(answer)).toEqual(['200', '404', '200'])
  })

  it('ignores an upgrade request on a path that does not support upgrades', async () => {
    const socket = await openTls()
    socket.write(head('GET /version HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c'))
    const [first] = await once(socket, 'data')
    expect(codesOf(String(first))).toEqual(['200'])
    socket.write(head('GET /livez HTTP/1.1', 'Connection: close'))
    expect(codesOf(await readUntilClosed(socket))).toEqual(['200'])
  })

  it('answers the next request after one with an unread body', async () => {
    const body = 'x'.repeat(200_000)
    const answer = await exchange(
      head('PUT /version HTTP/1.1', `Content-Length: ${body.length}`) +
        body +
        head('GET /livez HTTP/1.1', 'Connection: close'),
    )
    expect(codesOf(answer)).toEqual(['405', '200'])
  })
})

describe('a stalled connection is closed', () => {
  it('before the TLS handshake', async () => {
    const socket = openTcp()
    await readUntilClosed(socket)
  })

  it('after half of the headers', async () => {
    expect(await exchange('GET /version HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('after half of the body', async () => {
    const answer = await exchange(`${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 100')}{"metadata"`)
    expect(answer).toMatch(/^(HTTP\/1\.1 408 .*)?$/s)
    expect(service.resources.store.count('configmaps')).toBe(0)
  })

  it('after a request, when no other follows', async () => {
    expect(await exchange(head('GET /livez HTTP/1.1'))).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('reading a body', () => {
  const tooLong = Buffer.alloc(3 * 1024 * 1024 + 1, ' ')

  it('rejects a declared length over 3 MiB before reading the body', async () => {
    const { code, json, headers } = await client.send(CONFIG_MAPS, { method: 'POST', body: tooLong })
    expect(code).toBe(413)
    expect(headers.connection).toBe('close')
    expect(json).toMatchObject({
      status: 'Failure',
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    })
  })

  it('rejects a chunked body once it exceeds 3 MiB', async () => {
    const socket = await openTls()
    socket.write(head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Transfer-Encoding: chunked'))
    for (let sent = 0; sent < 4; sent += 1) socket.write(`100000\r\n${' '.repeat(0x100000)}\r\n`)
    expect(await readUntilClosed(socket)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('accepts a body just below 3 MiB', async () => {
    const body = `{"metadata":{"name":"a"}${' '.repeat(3 * 1024 * 1024 - 25)}}`
    expect((await client.send(CONFIG_MAPS, { method: 'POST', body })).code).toBe(201)
  })

  it('does not wait for the body of a forbidden request', async () => {
    const answer = await exchange(
      `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  })
})

describe('a server with watches', () => {
  const watchRequest = (): string => head(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1`)
  const big = { data: 'x'.repeat(64 * 1024) }

  const countProcessListeners = (): number => process.listenerCount('uncaughtException')

  it('closes the watch of a client that stops reading while others continue', async () => {
    const stalled = await openTls()
    stalled.write(watchRequest())
    stalled.pause()
    const received: string[] = []
    const healthyWatch = await client.open(`${CONFIG_MAPS}?watch=1`)
    healthyWatch.setEncoding('utf8')
    healthyWatch.on('data', (chunk: string) => received.push(chunk))
    const before = process.memoryUsage().arrayBuffers
    for (let index = 0; index < 300; index += 1)
      expect((await createConfigMap(`c${index}`, big)).code).toBe(201)
    // Only the memory of this process is bounded, not the socket buffers of the kernel.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
    await expect.poll(() => received.join('').split('\n').length - 1, { timeout: 5000 }).toBe(300)
    stalled.resume()
    await readUntilClosed(stalled)
    healthyWatch.destroy()
  }, 20_000)

  it('closes the watch of a client that has stopped reading, even without new events', async () => {
    for (let index = 0; index < 100; index += 1) await createConfigMap(`c${index}`, big)
    const stalled = await openTls()
    stalled.pause()
    stalled.write(watchRequest())
    await sleep(realClock, 1500)
    let received = 0
    stalled.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    stalled.resume()
    if (!stalled.closed) await once(stalled, 'close')
    expect(received).toBeLessThan(100 * big.data.length)
  }, 20_000)

  it('keeps a watch whose initial events exceed the backlog limit', async () => {
    for (let index = 0; index < 40; index += 1) await createConfigMap(`c${index}`, big)
    const watching = await client.open(`${CONFIG_MAPS}?watch=1`)
    let lines = 0
    watching.on('data', (chunk: Buffer) => {
      lines += chunk.toString().split('\n').length - 1
    })
    await expect.poll(() => lines, { timeout: 5000 }).toBe(40)
    watching.destroy()
  })

  it('removes its listeners when clients disconnect', async () => {
    const { store } = service.resources
    let listening = 0
    const original = store.watch
    store.watch = (kind, listener) => {
      listening += 1
      const unwatch = original(kind, listener)
      return () => {
        listening -= 1
        unwatch()
      }
    }
    const processListeners = countProcessListeners()
    for (let round = 0; round < 20; round += 1) {
      const socket = await openTls()
      socket.write(watchRequest())
      await once(socket, 'data')
      if (round % 2 === 0) socket.destroy()
      else socket.end()
    }
    await expect.poll(() => listening, { timeout: 3000 }).toBe(0)
    expect(countProcessListeners()).toBe(processListeners)
  }, 20_000)
})

describe('closing the server', () => {
  it('stops watching the kind directory, even if the server could not listen', async () => {
    const { directory } = service.resources
    const { watch } = directory
    let watchers = 0
    directory.watch = (listener) => {
      watchers += 1
      const stop = watch(listener)
      return () => {
        watchers -= 1
        stop()
      }
    }
    const options = {
      service: service.service,
      authenticator: testAuthenticator,
      nodes: { runtimeOf: () => undefined },
      tls: { ...certificate, clientAuthority: authority.certificate },
      realClock,
      onUnexpected: (error: unknown) => unexpected.push(error),
    }
    await (await createApiServer(options)).close()
    await expect(createApiServer({ ...options, port: server.port })).rejects.toThrow('EADDRINUSE')
    expect(watchers).toBe(0)
  })
})

describe('clients that disconnect', () => {
  it('cause no error at any point of a request', async () => {
    const prefixes = [
      'GET',
      head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 50'),
      `${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 50')}{"met`,
      head('GET /openapi/v2 HTTP/1.1'),
      head(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1`),
      head(
        'POST /api/v1/namespaces/default/pods/x/exec?command=a&stdout=1 HTTP/1.1',
        'Connection: Upgrade',
        'Upgrade: SPDY/3.1',
      ),
    ]
    for (const bytes of prefixes) {
      for (const disconnect of ['destroy', 'resetAndDestroy'] as const) {
        const tcp = openTcp()
        const socket = await openTls(tcp)
        socket.write(bytes)
        await sleep(realClock, 5)
        tcp[disconnect]()
      }
    }
    expect(service.resources.store.count('configmaps')).toBe(0)
  })
})
