/** Tests a Consul agent and its clients over real connections. */
import { afterEach, expect, test } from 'vitest'
import { processRegistryHost } from '../process-registry-host.ts'
import { createConsulClient } from './create-consul-client.ts'
import { startConsulServer } from './start-consul-server.ts'

const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const startServer = async (): Promise<number> => {
  const server = await startConsulServer(processRegistryHost, {
    port: 0,
    environment: {},
    log: () => {},
    onCommand: () => {},
  })
  cleanups.push(() => server.close(0))
  return server.port
}

const createClient = (
  port: number,
  observe?: <T>(operation: string, work: () => Promise<T>) => Promise<T>,
) => {
  const client = createConsulClient(processRegistryHost, {
    addresses: [{ host: '127.0.0.1', port }],
    ...(observe ? { observe } : {}),
  })
  cleanups.push(() => client.close())
  return client
}

const request = async (port: number, path: string, method = 'GET', body?: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body ? { body } : {}) })
  const text = await answer.text()
  return {
    status: answer.status,
    index: answer.headers.get('x-consul-index'),
    body: text ? JSON.parse(text) : text,
  }
}

test('keeps services registered after they stop, and resolves their addresses in turn', async () => {
  const port = await startServer()
  const [stopped, caller] = [createClient(port), createClient(port)]
  await stopped.register({ service: 'srv-geo', host: '10.1.0.5', port: 8083 })
  await expect(caller.resolve('srv-geo')).resolves.toEqual({ host: '10.1.0.5', port: 8083 })
  await stopped.close()
  await createClient(port).register({ service: 'srv-geo', host: '10.1.0.6', port: 8083 })
  const resolveHosts = async () =>
    new Set((await Promise.all([1, 2].map(() => caller.resolve('srv-geo')))).map(({ host }) => host))
  await expect.poll(resolveHosts, { interval: 20 }).toEqual(new Set(['10.1.0.5', '10.1.0.6']))
})

test('answers a pending lookup when the service is registered', async () => {
  const port = await startServer()
  const lookup = createClient(port).resolve('srv-rate')
  await createClient(port).register({ service: 'srv-rate', host: '10.1.0.7', port: 8084 })
  await expect(lookup).resolves.toEqual({ host: '10.1.0.7', port: 8084 })
})

test('observes registrations and first lookups only', async () => {
  const observed: string[] = []
  const client = createClient(await startServer(), (operation, work) => {
    observed.push(operation)
    return work()
  })
  await client.register({ service: 'srv-geo', host: '10.1.0.5', port: 8083 })
  for (let count = 0; count < 3; count++) await client.resolve('srv-geo')
  expect(observed).toEqual(['PUT /v1/agent/service/register', 'GET /v1/health/service/srv-geo'])
})

test('serves the HTTP API of Consul', async () => {
  const port = await startServer()
  const registration = JSON.stringify({ ID: 'a', Name: 'srv-user', Address: '10.1.0.8', Port: 8086 })
  expect(await request(port, '/v1/agent/service/register', 'PUT', registration)).toMatchObject({
    status: 200,
  })
  expect((await request(port, '/v1/catalog/services')).body).toEqual({ consul: [], 'srv-user': [] })
  const listed = await request(port, '/v1/health/service/srv-user?passing')
  expect(listed.body).toMatchObject([{ Service: { ID: 'a', Address: '10.1.0.8', Port: 8086 } }])
  const waiting = request(port, `/v1/catalog/service/srv-user?index=${listed.index}&wait=10s`)
  expect(await request(port, '/v1/agent/service/deregister/a', 'PUT')).toMatchObject({ status: 200 })
  expect(await waiting).toMatchObject({ status: 200, body: [] })
  expect(
    (await fetch(`http://127.0.0.1:${port}/v1/agent/service/register`, { method: 'PUT', body: '{' })).status,
  ).toBe(400)
})
