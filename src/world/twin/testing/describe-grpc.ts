/** The contract of gRPC servers and clients. */
import { describe, expect, it } from 'vitest'
import type { RequestHandler, ServiceAnswer, ServiceClient } from '#world/twin/ports'
import type { ServiceSubject, WithServiceSubject } from './service-subject.ts'

const RPC = { rpc: 'shop.Cart' }

const createEcho =
  ({ sleep }: ServiceSubject): RequestHandler =>
  async ({ path, headers, body }) => {
    if (path === 'Fail') return { status: 5, body: 'no such café: 100 %' }
    if (path === 'Slow') await sleep(300)
    return { status: 0, headers: { 'x-seen': headers['x-asked'] ?? '' }, body: { path, body } }
  }

const call = (
  client: ServiceClient,
  name: string,
  body?: unknown,
  timeoutMs?: number,
): Promise<ServiceAnswer> =>
  client.call({
    method: 'RPC',
    target: name.includes('/') ? name : `shop.Cart/${name}`,
    headers: { 'x-asked': 'yes' },
    body,
    ...(timeoutMs ? { timeoutMs } : {}),
  })

const describeCalls = (withSubject: WithServiceSubject): void => {
  it('carries messages and metadata in both directions', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject), RPC)).port)
      const message = { user: 'Jürgen', none: undefined, items: Array.from({ length: 2000 }, (_, at) => at) }
      const { items, user } = message
      expect(await call(client, 'Get', message)).toMatchObject({
        status: 0,
        headers: { 'x-seen': 'yes' },
        body: { path: 'Get', body: { user, items } },
      })
      expect((await call(client, 'Get')).body).toEqual({ path: 'Get', body: null })
    }))

  it('reports the code and message of a failed call', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject), RPC)).port)
      const failures = [
        ['Fail', 5, 'no such café: 100 %'],
        ['shop.Other/Get', 12, 'unknown service shop.Other'],
        ['shop.Cart/a/b', 12, 'malformed method name: "/shop.Cart/a/b"'],
      ] as const
      for (const [name, status, message] of failures)
        await expect(call(client, name)).rejects.toMatchObject({ kind: 'answer', status, message })
    }))

  it('rejects an oversized message and keeps the connection', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject), RPC)).port)
      await expect(call(client, 'Get', 'x'.repeat(5_000_000))).rejects.toMatchObject({
        kind: 'answer',
        status: 8,
        message: 'grpc: received message larger than max (4194304)',
      })
      await expect(call(client, 'Get')).resolves.toMatchObject({ status: 0 })
    }))

  it('answers the standard health check', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject), RPC)).port)
      expect((await call(client, 'grpc.health.v1.Health/Check')).body).toEqual({ status: 'SERVING' })
    }))

  it('ends a call at its deadline and keeps the connection', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject), RPC)).port)
      const slowCall = call(client, 'Slow')
      await expect(call(client, 'Slow', {}, 40)).rejects.toMatchObject({
        kind: 'timeout',
        message: 'context deadline exceeded',
      })
      await expect(slowCall).resolves.toMatchObject({ status: 0 })
    }))
}

const describeChannel = (withSubject: WithServiceSubject): void => {
  it('fails pending calls of a lost connection and reconnects for the next', () =>
    withSubject(async (subject) => {
      const first = await subject.startServer(createEcho(subject), RPC)
      const client = subject.createClient(first.port)
      const pendingCall = call(client, 'Slow')
      await subject.sleep(50)
      await Promise.all([
        expect(pendingCall).rejects.toMatchObject({
          kind: 'reset',
          message: expect.stringMatching(/^error reading from server: /),
        }),
        first.close(),
      ])
      await subject.startServer(createEcho(subject), { port: first.port, ...RPC })
      await expect(call(client, 'Get')).resolves.toMatchObject({ status: 0 })
    }))

  it('completes pending calls before the server closes', () =>
    withSubject(async (subject) => {
      const server = await subject.startServer(createEcho(subject), RPC)
      const pendingCall = call(subject.createClient(server.port), 'Slow')
      await subject.sleep(50)
      await server.close(5000)
      await expect(pendingCall).resolves.toMatchObject({ status: 0 })
    }))

  it('sends calls to another server while one stops', () =>
    withSubject(async (subject) => {
      const server = await subject.startServer(createEcho(subject), RPC)
      const other = await subject.startServer(createEcho(subject), RPC)
      const ports = [server.port, other.port]
      const address = async () => ({ host: subject.host, port: ports[0]! })
      const client = subject.createClient(server.port, { address })
      const pendingCall = call(client, 'Slow')
      await subject.sleep(50)
      const closing = server.close(5000)
      ports.shift()
      await expect(call(client, 'Get')).resolves.toMatchObject({ status: 0 })
      await expect(pendingCall).resolves.toMatchObject({ status: 0 })
      await closing
    }))
}

const describeReconnection = (withSubject: WithServiceSubject): void => {
  it('fails at once and reports the reason while no server listens', () =>
    withSubject(async (subject) => {
      const { port, close } = await subject.startServer(createEcho(subject), RPC)
      await close()
      const client = subject.createClient(port)
      const target = `${subject.host}:${port}`
      const failure = {
        kind: 'refused',
        message: `connection error: desc = "transport: Error while dialing: dial tcp ${target}: connect ECONNREFUSED ${target}"`,
      }
      await expect(call(client, 'Get')).rejects.toMatchObject(failure)
      await subject.startServer(createEcho(subject), { port, ...RPC })
      await expect(call(client, 'Get')).rejects.toMatchObject(failure)
      await subject.sleep(1300)
      await expect(call(client, 'Get')).resolves.toMatchObject({ status: 0 })
    }))

  it('fails at the deadline if the port accepts connections but does not answer', () =>
    withSubject(async ({ startSilentServer, createClient }) => {
      const client = createClient(await startSilentServer())
      await expect(call(client, 'Get', {}, 60)).rejects.toMatchObject({
        kind: 'timeout',
        message: 'context deadline exceeded',
      })
    }))

  it('reports a server that closes the connection', () =>
    withSubject(async ({ startClosingServer, createClient }) => {
      const { port } = await startClosingServer(1)
      await expect(call(createClient(port), 'Get')).rejects.toMatchObject({
        kind: 'reset',
        message: expect.stringMatching(
          /^connection error: desc = "transport: Error while dialing: .*: error reading server preface: EOF"$/,
        ),
      })
    }))

  it('balances calls over all addresses of a name and skips lost ones', () =>
    withSubject(async (subject) => {
      const served: number[] = []
      const serveAs = (index: number) =>
        subject.startServer(async () => {
          served.push(index)
          return { status: 0, body: null }
        }, RPC)
      const servers = [await serveAs(0), await serveAs(1)]
      const ports = servers.map(({ port }) => port)
      let turn = 0
      const address = async () => ({ host: subject.host, port: ports[turn++ % ports.length]! })
      const client = subject.createClient(0, { address })
      const callTenTimes = async () => {
        await call(client, 'Get')
        await subject.sleep(60)
        served.length = 0
        for (let count = 0; count < 10; count++) await call(client, 'Get')
        return new Set(served)
      }
      expect(await callTenTimes()).toEqual(new Set([0, 1]))
      await servers[0]!.close()
      expect(await callTenTimes()).toEqual(new Set([1]))
      ports[0] = (await serveAs(2)).port
      expect(await callTenTimes()).toEqual(new Set([1, 2]))
    }))
}

export const describeGrpc = (name: string, withSubject: WithServiceSubject): void => {
  describe(name, () => {
    describeCalls(withSubject)
    describeChannel(withSubject)
    describeReconnection(withSubject)
  })
}
