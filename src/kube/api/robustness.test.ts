/** Tests of the server on a real socket against clients that break the rules, hang, stop reading or vanish. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealClock, sleep } from '../../kit/index.ts'
import { createCertificateAuthority } from '../auth/index.ts'
import { type ApiServer, createApiServer } from './create-api-server.ts'
import { createTestService, type TestService, testAuthenticator } from './testing/create-test-api.ts'
import { createHttpClient, type HttpClient } from './testing/http-client.ts'

const realClock = createRealClock()
const authority = createCertificateAuthority(realClock)
const certificate = authority.issueServer(['127.0.0.1'])

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const BACKLOG = 256 * 1024

let made: TestService
let server: ApiServer
let client: HttpClient
let unexpected: unknown[]
let sockets: Socket[]

beforeEach(async () => {
  made = createTestService()
  unexpected = []
  sockets = []
  server = await createApiServer({
    service: made.service,
    authenticator: testAuthenticator,
    nodes: { runtimeOf: () => undefined },
    tls: { ...certificate, clientAuthority: authority.certificate },
    realClock,
    onUnexpected: (error) => unexpected.push(error),
    patience: {
      headers: 300,
      request: 600,
      idle: 400,
      check: 50,
      stalledWatch: 400,
      watchBacklogBytes: BACKLOG,
    },
  })
  client = createHttpClient(server.url, { Authorization: 'Bearer admin' })
})

afterEach(async () => {
  // Whatever was done to it, the server still answers, and had no surprises.
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

/** Everything that comes until the server hangs up. */
const untilClosed = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

/** Sends raw bytes over TLS and gives the whole of what comes back. */
const exchange = async (bytes: string | Buffer): Promise<string> => {
  const socket = await openTls()
  socket.write(bytes)
  return untilClosed(socket)
}

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', 'Authorization: Bearer admin', ...headers].join('\r\n')}\r\n\r\n`

const codesOf = (answer: string): (string | undefined)[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)

const create = (name: string, data: Record<string, string> = {}): Promise<{ code: number }> =>
  client.send(CONFIG_MAPS, { method: 'POST', body: { metadata: { name }, data } })

describe('bytes that are no HTTP', () => {
  it.each([
    ['rubbish', 'hello\r\n\r\n'],
    ['a bad method', 'FROB / HTTP/1.1\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['two lengths', head('POST / HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    ['a length and chunks', head('POST / HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a negative length', head('POST / HTTP/1.1', 'Content-Length: -1')],
    ['a null byte', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('headers without end', async () => {
    const bytes = head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(1024 * 1024)}`)
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('a broken chunk', async () => {
    const bytes = `${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Transfer-Encoding: chunked')}zz\r\n`
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('no TLS at all', async () => {
    const socket = openTcp()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await untilClosed(socket)
  })

  it('TLS that breaks off in the middle of a record', async () => {
    const socket = openTcp()
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]))
    socket.end()
    await untilClosed(socket)
  })
})

describe('other HTTP than most clients speak', () => {
  it('version 1.0', async () => {
    const answer = await exchange(head('GET /version HTTP/1.0'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('Connection: close')
    expect(answer).toContain('"minor":"32"')
  })

  it('several requests at once, answered in order', async () => {
    const answer = await exchange(
      head('GET /healthz HTTP/1.1') +
        head('GET /nowhere HTTP/1.1') +
        head('GET /livez HTTP/1.1', 'Connection: close'),
    )
    expect(codesOf(answer)).toEqual(['200', '404', '200'])
  })

  it('an offer to change the protocol where there is nothing to change', async () => {
    const socket = await openTls()
    socket.write(head('GET /version HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c'))
    const [first] = await once(socket, 'data')
    expect(codesOf(String(first))).toEqual(['200'])
    socket.write(head('GET /livez HTTP/1.1', 'Connection: close'))
    expect(codesOf(await untilClosed(socket))).toEqual(['200'])
  })

  it('the next request after one whose body nobody read', async () => {
    const body = 'x'.repeat(200_000)
    const answer = await exchange(
      head('PUT /version HTTP/1.1', `Content-Length: ${body.length}`) +
        body +
        head('GET /livez HTTP/1.1', 'Connection: close'),
    )
    expect(codesOf(answer)).toEqual(['405', '200'])
  })
})

describe('connections that stay half open are cut off', () => {
  it('before a word is said', async () => {
    const socket = openTcp()
    await untilClosed(socket)
  })

  it('after half of the headers', async () => {
    expect(await exchange('GET /version HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('after half of the body', async () => {
    const answer = await exchange(`${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 100')}{"metadata"`)
    expect(answer).toMatch(/^(HTTP\/1\.1 408 .*)?$/s)
    expect(made.resources.store.count('configmaps')).toBe(0)
  })

  it('after a request, when no other follows', async () => {
    expect(await exchange(head('GET /livez HTTP/1.1'))).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('bodies beyond three mebibytes', () => {
  const tooLong = Buffer.alloc(3 * 1024 * 1024 + 1, ' ')

  it('that say so are refused before they come', async () => {
    const { code, json, headers } = await client.send(CONFIG_MAPS, { method: 'POST', body: tooLong })
    expect(code).toBe(413)
    expect(headers.connection).toBe('close')
    expect(json).toMatchObject({
      status: 'Failure',
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    })
  })

  it('that do not say so are refused when they have come', async () => {
    const socket = await openTls()
    socket.write(head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Transfer-Encoding: chunked'))
    for (let sent = 0; sent < 4; sent += 1) socket.write(`100000\r\n${' '.repeat(0x100000)}\r\n`)
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('just below are read', async () => {
    const body = `{"metadata":{"name":"a"}${' '.repeat(3 * 1024 * 1024 - 25)}}`
    expect((await client.send(CONFIG_MAPS, { method: 'POST', body })).code).toBe(201)
  })

  it('of those who may not write are not waited for', async () => {
    const answer = await exchange(
      `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  })
})

describe('watches', () => {
  const watch = (): string => head(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1`)
  const big = { data: 'x'.repeat(64 * 1024) }

  const listeners = (): number => process.listenerCount('uncaughtException')

  it('of clients that stop reading are cut off while others go on', async () => {
    const deaf = await openTls()
    deaf.write(watch())
    deaf.pause()
    const heard: string[] = []
    const good = await client.open(`${CONFIG_MAPS}?watch=1`)
    good.setEncoding('utf8')
    good.on('data', (chunk: string) => heard.push(chunk))
    const before = process.memoryUsage().arrayBuffers
    for (let index = 0; index < 300; index += 1) expect((await create(`c${index}`, big)).code).toBe(201)
    // What the kernel holds for a deaf client is not ours to bound; what we hold is.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
    await expect.poll(() => heard.join('').split('\n').length - 1, { timeout: 5000 }).toBe(300)
    deaf.resume()
    await untilClosed(deaf)
    good.destroy()
  }, 20_000)

  it('of clients that take nothing for too long are cut off even when little happens', async () => {
    for (let index = 0; index < 100; index += 1) await create(`c${index}`, big)
    const deaf = await openTls()
    deaf.pause()
    deaf.write(watch())
    await sleep(realClock, 1500)
    let received = 0
    deaf.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    deaf.resume()
    if (!deaf.closed) await once(deaf, 'close')
    expect(received).toBeLessThan(100 * big.data.length)
  }, 20_000)

  it('that begin with more than any backlog are not cut off for it', async () => {
    for (let index = 0; index < 40; index += 1) await create(`c${index}`, big)
    const watching = await client.open(`${CONFIG_MAPS}?watch=1`)
    let lines = 0
    watching.on('data', (chunk: Buffer) => {
      lines += chunk.toString().split('\n').length - 1
    })
    await expect.poll(() => lines, { timeout: 5000 }).toBe(40)
    watching.destroy()
  })

  it('leave nothing behind when clients vanish', async () => {
    const { store } = made.resources
    let listening = 0
    const original = store.watch
    store.watch = (kind, listener) => {
      listening += 1
      const leave = original(kind, listener)
      return () => {
        listening -= 1
        leave()
      }
    }
    const processListeners = listeners()
    for (let round = 0; round < 20; round += 1) {
      const socket = await openTls()
      socket.write(watch())
      await once(socket, 'data')
      if (round % 2 === 0) socket.destroy()
      else socket.end()
    }
    await expect.poll(() => listening, { timeout: 3000 }).toBe(0)
    expect(listeners()).toBe(processListeners)
  }, 20_000)
})

describe('a server that is closed', () => {
  it('follows nothing any more, and neither does one that could not listen', async () => {
    const { directory } = made.resources
    const { watch } = directory
    let followed = 0
    directory.watch = (listener) => {
      followed += 1
      const stop = watch(listener)
      return () => {
        followed -= 1
        stop()
      }
    }
    const options = {
      service: made.service,
      authenticator: testAuthenticator,
      nodes: { runtimeOf: () => undefined },
      tls: { ...certificate, clientAuthority: authority.certificate },
      realClock,
      onUnexpected: (error: unknown) => unexpected.push(error),
    }
    await (await createApiServer(options)).close()
    await expect(createApiServer({ ...options, port: server.port })).rejects.toThrow('EADDRINUSE')
    expect(followed).toBe(0)
  })
})

describe('clients that vanish', () => {
  it('in the middle of everything', async () => {
    const beginnings = [
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
    for (const bytes of beginnings) {
      for (const farewell of ['destroy', 'resetAndDestroy'] as const) {
        const tcp = openTcp()
        const socket = await openTls(tcp)
        socket.write(bytes)
        await sleep(realClock, 5)
        tcp[farewell]()
      }
    }
    expect(made.resources.store.count('configmaps')).toBe(0)
  })
})
