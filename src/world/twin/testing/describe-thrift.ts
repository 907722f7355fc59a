/** The contract of Thrift servers and clients. */
import { describe, expect, it } from 'vitest'
import type { RequestHandler, ServiceAnswer, ServiceClient } from '#world/twin/ports'
import type { ServiceSubject, WithServiceSubject } from './service-subject.ts'

const createEcho =
  ({ sleep }: ServiceSubject): RequestHandler =>
  async ({ path, headers, body }) => {
    if (path === 'Fail') return { status: 13, body: 'the store is unavailable' }
    if (path === 'Slow') await sleep(150)
    return { status: 0, body: { path, headers, body } }
  }

const call = (
  client: ServiceClient,
  name: string,
  body?: unknown,
  timeoutMs?: number,
): Promise<ServiceAnswer> =>
  client.call({
    method: 'RPC',
    target: `social.UserService/${name}`,
    headers: { traceparent: '00-ab-cd-01' },
    body,
    ...(timeoutMs ? { timeoutMs } : {}),
  })

const describeCalls = (withSubject: WithServiceSubject): void => {
  it('carries messages and headers', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject))).port)
      const message = { user: 'Jürgen', ids: Array.from({ length: 5000 }, (_, index) => index) }
      expect((await call(client, 'Login', message)).body).toEqual({
        path: 'Login',
        headers: { traceparent: '00-ab-cd-01' },
        body: message,
      })
      expect((await call(client, 'Login')).body).toMatchObject({ body: null })
    }))

  it('matches answers to concurrent calls', () =>
    withSubject(async (subject) => {
      const client = subject.createClient((await subject.startServer(createEcho(subject))).port)
      const bodies = await Promise.all(Array.from({ length: 40 }, (_, index) => call(client, 'Slow', index)))
      expect(bodies.map(({ body }) => (body as { body: number }).body)).toEqual(
        bodies.map((_, index) => index),
      )
    }))

  it('reports an exception of the server and keeps the connection', () =>
    withSubject(async (subject) => {
      const { port } = await subject.startServer(createEcho(subject))
      const client = subject.createClient(port, { poolSize: 1 })
      await expect(call(client, 'Fail')).rejects.toMatchObject({
        kind: 'answer',
        message: 'TApplicationException: the store is unavailable',
      })
      await expect(call(client, 'Login')).resolves.toMatchObject({ status: 0 })
    }))

  it('ends a call at its deadline and discards the late answer', () =>
    withSubject(async (subject) => {
      const { port } = await subject.startServer(createEcho(subject))
      const client = subject.createClient(port, { poolSize: 1 })
      await expect(call(client, 'Slow', 'late', 30)).rejects.toMatchObject({
        kind: 'timeout',
        message: 'THRIFT_EAGAIN (timed out)',
      })
      expect((await call(client, 'Login', 'next')).body).toMatchObject({ body: 'next' })
    }))
}

const describeConnections = (withSubject: WithServiceSubject): void => {
  it('fails if no connection is free in time', () =>
    withSubject(async (subject) => {
      const { port } = await subject.startServer(createEcho(subject))
      const client = subject.createClient(port, { poolSize: 1, poolWaitMs: 30 })
      const first = call(client, 'Slow')
      await expect(call(client, 'Login')).rejects.toMatchObject({
        kind: 'pool',
        message: 'none of the 1 connections became free within 30 ms',
      })
      await expect(first).resolves.toMatchObject({ status: 0 })
    }))

  it('fails pending calls of a lost server and reconnects after its return', () =>
    withSubject(async (subject) => {
      const first = await subject.startServer(createEcho(subject))
      const client = subject.createClient(first.port)
      const pendingCall = call(client, 'Slow')
      await subject.sleep(40)
      await Promise.all([
        expect(pendingCall).rejects.toMatchObject({ kind: 'reset', message: 'No more data to read.' }),
        first.close(),
      ])
      await expect(call(client, 'Login')).rejects.toMatchObject({
        kind: 'refused',
        message: `connect ECONNREFUSED ${subject.host}:${first.port}`,
      })
      await subject.startServer(createEcho(subject), { port: first.port })
      await expect(call(client, 'Login')).resolves.toMatchObject({ status: 0 })
    }))

  it('completes pending calls before the server closes', () =>
    withSubject(async (subject) => {
      const server = await subject.startServer(createEcho(subject))
      const pendingCall = call(subject.createClient(server.port), 'Slow')
      await subject.sleep(40)
      await server.close(5000)
      await expect(pendingCall).resolves.toMatchObject({ status: 0 })
    }))

  it('reports a server that closes the connection', () =>
    withSubject(async ({ startClosingServer, createClient }) => {
      const { port } = await startClosingServer(1)
      await expect(call(createClient(port), 'Login')).rejects.toMatchObject({
        kind: 'reset',
        message: 'No more data to read.',
      })
    }))
}

export const describeThrift = (name: string, withSubject: WithServiceSubject): void => {
  describe(name, () => {
    describeCalls(withSubject)
    describeConnections(withSubject)
  })
}
