/** Needs root: tests all probes, against servers in a network namespace and commands in a container. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createGrpcServer } from 'node:http2'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCgroups, listenInside } from '#machine/linux'
import type { Outcome, ProbeAction, ProbeResult } from '#platform/kube/ports'
import { type AccessWorld, createAccessWorld, POD_IP } from '../testing/access-world.ts'
import type { BareContainer } from '../testing/bare-container.ts'

let world: AccessWorld
let main: BareContainer
beforeAll(async () => {
  world = await createAccessWorld()
  main = await world.start({ name: 'main', command: ['sleep', 'infinity'] })
})
afterAll(() => world.close())

const openServers: { server: Server; sockets: Set<Socket> }[] = []
afterEach(() => {
  for (const { server, sockets } of openServers.splice(0)) {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
})

let lastPort = 8000
/** Serves on an unused port of the pod's address. */
const serve = async (server: Server): Promise<number> => {
  lastPort += 1
  const sockets = new Set<Socket>()
  openServers.push({ server, sockets })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => {
    server.listen({ fd: listenInside(world.namespace, POD_IP, lastPort) }, resolve)
  })
  return lastPort
}

const probe = (
  action: ProbeAction['action'],
  timeoutMs = 2000,
  id = main.id,
): Promise<Outcome<ProbeResult>> =>
  new Promise((resolve) => {
    const probeAction: ProbeAction = { kind: 'readiness', action, timeoutMs }
    world.access.probe(world.pod, main.container, `containerd://${id}`, probeAction, resolve)
  })

const runProbe = async (action: ProbeAction['action'], timeoutMs?: number): Promise<ProbeResult> => {
  const outcome = await probe(action, timeoutMs)
  if (!outcome.ok) throw outcome.error
  return outcome.value
}

type Http = Extract<ProbeAction['action'], { type: 'http' }>
const httpGet = (port: number, options: Partial<Http> = {}): Http => ({
  type: 'http',
  scheme: 'HTTP',
  host: POD_IP,
  port,
  path: '/healthz',
  headers: [],
  ...options,
})
const goErrorPrefix = (port: number, path = '/healthz'): string => `Get "http://${POD_IP}:${port}${path}"`
const serveHttp = (listener: RequestListener): Promise<number> => serve(createServer(listener))

describe('an HTTP probe', () => {
  it.each([
    [200, true, 'fine'],
    [399, true, 'fine'],
    [404, false, 'HTTP probe failed with statuscode: 404'],
    [500, false, 'HTTP probe failed with statuscode: 500'],
  ])('maps status %i to ok=%s', async (status, ok, output) => {
    const port = await serveHttp((_request, response) => response.writeHead(status).end('fine'))
    expect(await runProbe(httpGet(port))).toEqual({ ok, output })
  })

  it('sends the headers of the kubelet and of the probe', async () => {
    const port = await serveHttp(({ headers, url, method }, response) => {
      response.end(JSON.stringify({ method, url, headers }))
    })
    const plain = JSON.parse((await runProbe(httpGet(port, { path: 'ready?full=1' }))).output)
    expect(plain).toEqual({
      method: 'GET',
      url: '/ready?full=1',
      headers: {
        host: `${POD_IP}:${port}`,
        'user-agent': 'kube-probe/1.32',
        accept: '*/*',
        connection: 'close',
      },
    })
    const headers = [
      { name: 'Host', value: 'shop.example' },
      { name: 'X-Many', value: 'a' },
      { name: 'X-Many', value: 'b' },
      { name: 'user-agent', value: 'mine' },
    ]
    expect(JSON.parse((await runProbe(httpGet(port, { headers, host: '' }))).output).headers).toMatchObject({
      host: 'shop.example',
      'x-many': 'a, b',
      'user-agent': 'mine',
    })
  })

  it('follows redirects on the same host only', async () => {
    const port = await serveHttp(({ url }, response) => {
      const location = { '/local': '/there', '/away': 'http://elsewhere.example/', '/round': '/round' }[
        url ?? ''
      ]
      if (location === undefined) response.end(`at ${url}`)
      else response.writeHead(302, { location }).end('away')
    })
    expect(await runProbe(httpGet(port, { path: '/local' }))).toEqual({ ok: true, output: 'at /there' })
    expect(await runProbe(httpGet(port, { path: '/away' }))).toEqual({ ok: true, output: 'away' })
    expect(await runProbe(httpGet(port, { path: '/round' }))).toEqual({
      ok: false,
      output: `${goErrorPrefix(port, '/round')}: stopped after 10 redirects`,
    })
  })

  it('reports errors with the messages of Go', async () => {
    expect(await runProbe(httpGet(9))).toEqual({
      ok: false,
      output: `${goErrorPrefix(9)}: dial tcp ${POD_IP}:9: connect: connection refused`,
    })
    const unresponsive = await serveHttp(() => {})
    expect(await runProbe(httpGet(unresponsive), 200)).toEqual({
      ok: false,
      output: `${goErrorPrefix(unresponsive)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    })
    const slow = await serveHttp((_request, response) => response.writeHead(200).write('begin'))
    await expect(runProbe(httpGet(slow), 200)).rejects.toThrow(
      'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    )
    const closing = await serve(createTcpServer((socket) => socket.end()))
    expect((await runProbe(httpGet(closing))).output).toBe(`${goErrorPrefix(closing)}: EOF`)
    const upgradeResponse = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'
    const upgrading = await serve(createTcpServer((socket) => socket.end(upgradeResponse)))
    expect((await runProbe(httpGet(upgrading))).output).toBe(`${goErrorPrefix(upgrading)}: EOF`)
  })

  it('reads at most 10 KiB of the body', async () => {
    const port = await serveHttp((_request, response) => {
      const sendChunks = (): void => {
        while (response.write('x'.repeat(10_000)));
      }
      response.on('drain', sendChunks)
      sendChunks()
    })
    expect((await runProbe(httpGet(port))).output).toHaveLength(10_240)
  })

  it('accepts any certificate, and reports a server without TLS', async () => {
    const [key, cert] = [join(world.folder, 'key.pem'), join(world.folder, 'cert.pem')]
    const subject = ['-subj', '/CN=test', '-days', '1', '-newkey', 'rsa:2048', '-nodes']
    execFileSync('openssl', ['req', '-x509', '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) })
    const port = await serve(server.on('request', (_request, response) => response.end('safe')))
    expect(await runProbe(httpGet(port, { scheme: 'HTTPS' }))).toEqual({ ok: true, output: 'safe' })
    const plain = await serveHttp((_request, response) => response.end())
    expect(await runProbe(httpGet(plain, { scheme: 'HTTPS' }))).toEqual({
      ok: false,
      output: `${goErrorPrefix(plain).replace('http:', 'https:')}: http: server gave HTTP response to HTTPS client`,
    })
  })
})

describe('a TCP probe', () => {
  it('succeeds if the port accepts connections', async () => {
    const port = await serve(createTcpServer())
    expect(await runProbe({ type: 'tcp', host: POD_IP, port })).toEqual({ ok: true, output: '' })
    expect(await runProbe({ type: 'tcp', host: POD_IP, port: 9 })).toEqual({
      ok: false,
      output: `dial tcp ${POD_IP}:9: connect: connection refused`,
    })
    expect((await runProbe({ type: 'tcp', host: '10.9.9.9', port: 9 })).output).toBe(
      'dial tcp 10.9.9.9:9: connect: network is unreachable',
    )
  })
})

describe('a gRPC probe', () => {
  const serveHealth = (answer: (service: string) => { status?: number; code?: number; message?: string }) => {
    const server = createGrpcServer()
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = []
      stream.on('error', () => {})
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        expect(headers[':path']).toBe('/grpc.health.v1.Health/Check')
        const { status, code = 0, message } = answer(Buffer.concat(chunks).subarray(7).toString())
        const end = {
          'grpc-status': String(code),
          ...(message === undefined ? {} : { 'grpc-message': message }),
        }
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers(end))
        stream.end(status === undefined ? undefined : Buffer.from([0, 0, 0, 0, 2, 8, status]))
      })
    })
    return serve(server as unknown as Server)
  }
  const checkHealth = (port: number, service = '', timeoutMs?: number): Promise<ProbeResult> =>
    runProbe({ type: 'grpc', host: POD_IP, port, service }, timeoutMs)

  it('returns the status that the server reports', async () => {
    const port = await serveHealth((service) => ({ status: service === 'shop' ? 1 : 2 }))
    expect(await checkHealth(port, 'shop')).toEqual({ ok: true, output: 'service healthy' })
    expect(await checkHealth(port)).toEqual({
      ok: false,
      output: 'service unhealthy (responded with "NOT_SERVING")',
    })
  })

  it('reports errors of the server', async () => {
    const unknown = await serveHealth(() => ({ code: 5, message: 'unknown service' }))
    expect((await checkHealth(unknown, 'nope')).output).toBe(
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
    )
    const withoutHealthService = await serveHealth(() => ({ code: 12, message: 'no such method' }))
    expect((await checkHealth(withoutHealthService)).output).toBe(
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): no such method',
    )
  })

  it('fails on invalid responses', async () => {
    const malformed = await serveHealth(() => ({ code: 2, message: '100 % %zz broken' }))
    expect((await checkHealth(malformed)).output).toBe(
      'error: health rpc probe failed: rpc error: code = Unknown desc = 100 % %zz broken',
    )
    const server = createGrpcServer()
    server.on('stream', (stream) => {
      stream.on('error', () => {})
      stream.respond({ ':status': 200 })
      const sendChunks = (): void => {
        while (stream.write('x'.repeat(10_000)));
      }
      stream.on('drain', sendChunks)
      sendChunks()
    })
    const endless = await serve(server as unknown as Server)
    expect((await checkHealth(endless)).output).toBe(
      'error: health rpc probe failed: rpc error: code = Unavailable desc = the response exceeds 10240 bytes',
    )
  })

  it('reports a timeout of the connection and of the response', async () => {
    expect((await checkHealth(9, '', 300)).output).toBe(
      `timeout: failed to connect service "${POD_IP}:9" within 0.3s: context deadline exceeded`,
    )
    const unresponsive = await serve(createGrpcServer() as unknown as Server)
    expect((await checkHealth(unresponsive, '', 300)).output).toBe(
      'timeout: health rpc did not complete within 0.3s',
    )
  })
})

describe('an exec probe', () => {
  const runScript = (script: string, timeoutMs?: number): Promise<ProbeResult> =>
    runProbe({ type: 'exec', command: ['sh', '-c', script] }, timeoutMs)

  it('succeeds if the command exits with 0, and returns its output', async () => {
    expect(await runScript('echo fine')).toEqual({ ok: true, output: 'fine\n' })
    expect(await runScript('echo bad >&2; exit 3')).toEqual({ ok: false, output: 'bad\n' })
    expect((await runScript('head -c 50000 /dev/zero')).output).toHaveLength(10_240)
  })

  it('kills the command and its descendants after the timeout', async () => {
    const before = createCgroups().pids(main.cgroup)
    expect(await runScript('sleep 1000 & sleep 1000', 300)).toEqual({
      ok: false,
      output: 'command timed out: "sh -c sleep 1000 & sleep 1000" timed out after 0.3s',
    })
    await expect.poll(() => createCgroups().pids(main.cgroup)).toEqual(before)
  })

  it('rejects if the command cannot be started', async () => {
    const missing = await probe({ type: 'exec', command: ['nope'] })
    expect(missing.ok ? '' : missing.error.message).toMatch(
      /^rpc error: code = Unknown desc = failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in \$PATH: unknown$/,
    )
    const ended = await world.start({ name: 'short', command: ['true'] })
    await ended.ended
    const late = await probe({ type: 'exec', command: ['true'] }, 1000, ended.id)
    expect(late.ok ? '' : late.error.message).toBe(
      'rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state',
    )
  })
})
