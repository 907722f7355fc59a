/** Tests the servers of a Nacos cluster and their clients over real connections. */
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer } from '#world/twin/ports'
import { processRegistryHost } from '../process-registry-host.ts'
import { createNacosClient } from './create-nacos-client.ts'
import { parsePeers } from './nacos-peers.ts'
import { startNacosServer } from './start-nacos-server.ts'

const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const startServer = async (peers: readonly number[] = [], port = 0): Promise<ListeningServer> => {
  const server = await startNacosServer(processRegistryHost, {
    port,
    environment: { HOSTNAME: 'nacos-0', NACOS_SERVERS: peers.map((peer) => `127.0.0.1:${peer}`).join(' ') },
    log: () => {},
    onCommand: () => {},
  })
  cleanups.push(() => server.close(0))
  return server
}

const createClient = (...ports: number[]) => {
  const client = createNacosClient(processRegistryHost, {
    addresses: ports.map((port) => ({ host: '127.0.0.1', port })),
  })
  cleanups.push(() => client.close())
  return client
}

const request = async (port: number, method: string, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

const order = { service: 'ts-order-service', host: '10.1.0.9', port: 12031 }

test('resolves instances in turn, and skips deregistered ones', async () => {
  const { port } = await startServer()
  const [first, second, caller] = [createClient(port), createClient(port), createClient(port)]
  await expect(caller.resolve(order.service)).rejects.toMatchObject({ kind: 'name' })
  await first.register(order)
  await second.register({ ...order, host: '10.1.0.10' })
  const resolveHosts = async () =>
    new Set((await Promise.all([1, 2].map(() => caller.resolve(order.service)))).map(({ host }) => host))
  await expect.poll(resolveHosts, { interval: 20 }).toEqual(new Set(['10.1.0.9', '10.1.0.10']))
  await first.close()
  await expect.poll(resolveHosts, { interval: 20 }).toEqual(new Set(['10.1.0.10']))
})

test('resolves known names when all servers are down, and fails for new ones', async () => {
  const server = await startServer()
  const client = createClient(server.port)
  await client.register(order)
  await client.resolve(order.service)
  await server.close(0)
  await expect(client.resolve(order.service)).resolves.toEqual({ host: order.host, port: order.port })
  await expect(client.resolve('ts-other-service')).rejects.toMatchObject({ kind: 'refused' })
})

test('tries the next server if one is down', async () => {
  const down = await startServer()
  await down.close(0)
  const client = createClient(down.port, (await startServer()).port)
  await client.register(order)
  await expect(client.resolve(order.service)).resolves.toMatchObject({ host: order.host })
})

test('synchronises peers, and loads all instances when a server starts later', async () => {
  const first = await startServer()
  const listNames = (port: number) => async () =>
    (await request(port, 'GET', '/nacos/v1/ns/service/list?pageNo=1&pageSize=10')).body.doms
  const second = await startServer([first.port])
  const client = createClient(second.port)
  await client.register(order)
  await expect.poll(listNames(first.port), { interval: 20 }).toEqual([order.service])
  const late = await startServer([first.port])
  expect(await listNames(late.port)()).toEqual([order.service])
  await client.close()
  await expect.poll(listNames(first.port), { interval: 20 }).toEqual([])
})

test('serves the HTTP API of Nacos', async () => {
  const { port } = await startServer()
  const query = 'serviceName=DEFAULT_GROUP@@shop&ip=10.0.0.3&port=80'
  expect(await request(port, 'PUT', `/nacos/v1/ns/instance/beat?${query}`)).toMatchObject({
    body: { code: 20404 },
  })
  expect(await request(port, 'POST', `/nacos/v1/ns/instance?${query}`)).toEqual({ status: 200, body: 'ok' })
  expect(await request(port, 'PUT', `/nacos/v1/ns/instance/beat?${query}`)).toMatchObject({
    body: { code: 10200, clientBeatInterval: 5000 },
  })
  expect(await request(port, 'GET', '/nacos/v1/ns/instance/list?serviceName=shop')).toMatchObject({
    body: {
      name: 'DEFAULT_GROUP@@shop',
      hosts: [{ ip: '10.0.0.3', port: 80, healthy: true, ephemeral: true }],
    },
  })
  expect(
    await request(port, 'POST', '/nacos/v1/ns/instance?serviceName=shop&ip=10.0.0.3&port=none'),
  ).toMatchObject({ status: 400 })
  expect(await request(port, 'GET', '/nacos/v1/console/health/readiness')).toEqual({
    status: 200,
    body: 'OK',
  })
  expect(await request(port, 'GET', '/nacos/v2')).toMatchObject({ status: 404 })
})

test('excludes this pod from the list of peers', () => {
  const NACOS_SERVERS = 'nacos-0.nacos-headless:8848 nacos-1.nacos-headless:8848 nacos-2.nacos-headless'
  expect(parsePeers({ HOSTNAME: 'nacos-1', NACOS_SERVERS })).toEqual([
    { host: 'nacos-0.nacos-headless', port: 8848 },
    { host: 'nacos-2.nacos-headless', port: 8848 },
  ])
  expect(parsePeers({})).toEqual([])
})
