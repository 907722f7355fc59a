/** Tests of scraping pods, with healthy and failing HTTP servers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { createRealClock, createVirtualClock } from '#kit'
import type { ApiObject, MetricSample } from '#spec'
import { fakePod } from '../testing/fake-pod.ts'
import { type PodState, toPodState } from './pod-index.ts'
import { scrapePods } from './scrape-pods.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanups.splice(0)) cleanUp()
})

const serve = async (handler: RequestListener): Promise<number> => {
  const server: Server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as { port: number }).port
}

const podWithPort = (
  name: string,
  port: number | string,
  annotations: Record<string, string> = {},
): PodState => {
  const pod = fakePod(name, name, {
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port), ...annotations },
  }) as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: name } })
}

const scrape = (pods: readonly PodState[]): MetricSample[] => {
  const samples: MetricSample[] = []
  const scraping = scrapePods({
    pods: { all: () => pods.values() } as never,
    connect: async (_pod, port) => connect(port, '127.0.0.1'),
    clock: createRealClock(),
    onSamples: (batch) => samples.push(...batch),
  })
  cleanups.push(scraping.close)
  return samples
}

it('adds the labels of the pod to its metrics', async () => {
  const requested: string[] = []
  const port = await serve((request, response) => {
    requested.push(request.url!)
    response.end('a_total{endpoint="GET /"} 3\nb 4\n')
  })
  const samples = scrape([podWithPort('cart', port, { 'prometheus.io/path': '/own' })])
  await expect.poll(() => samples).toHaveLength(3)
  expect(requested).toEqual(['/own'])
  const labels = { namespace: 'shop', service: 'cart', pod: 'cart' }
  expect(samples.map(({ time: _, ...rest }) => rest)).toEqual([
    { name: 'a_total', labels: { ...labels, endpoint: 'GET /' }, value: 3 },
    { name: 'b', labels, value: 4 },
    { name: 'up', labels, value: 1 },
  ])
})

it('reports failing pods as down, and scrapes only annotated ones', async () => {
  const failing = await serve((_request, response) => response.writeHead(500).end('a 1'))
  const endless = await serve((_request, response) => {
    response.on('error', () => {})
    const writeMore = (): void => {
      if (!response.destroyed) response.write('a 1\n'.repeat(50_000), writeMore)
    }
    writeMore()
  })
  const closed = await serve(() => {})
  cleanups.splice(-1)[0]!()
  const samples = scrape([
    podWithPort('failing', failing),
    podWithPort('endless', endless),
    podWithPort('closed', closed),
    podWithPort('odd', 'no port'),
    podWithPort('unasked', failing, { 'prometheus.io/scrape': 'false' }),
  ])
  await expect.poll(() => samples).toHaveLength(3)
  expect(samples.map(({ name, labels, value }) => `${labels.pod} ${name} ${value}`).sort()).toEqual([
    'closed up 0',
    'endless up 0',
    'failing up 0',
  ])
})

it('reports a pod as down if connecting takes too long, and closes a late connection', async () => {
  const clock = createVirtualClock()
  const values: number[] = []
  const late = Promise.withResolvers<PassThrough>()
  const scraping = scrapePods({
    pods: { all: () => [podWithPort('cart', 80)].values() } as never,
    connect: () => late.promise,
    clock,
    onSamples: (batch) => values.push(...batch.map(({ value }) => value)),
  })
  cleanups.push(scraping.close)
  clock.advance(200)
  clock.advance(3000)
  await expect.poll(() => values).toEqual([0])
  const connection = new PassThrough()
  late.resolve(connection)
  await expect.poll(() => connection.destroyed).toBe(true)
})
