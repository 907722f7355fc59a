/** Tests of scraping pods, with healthy and failing HTTP servers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { type Clock, createRealClock, createVirtualClock } from '#kit'
import type { ApiObject, MetricSample } from '#spec'
import { fakePod } from '../testing/fake-pod.ts'
import { type PodState, toPodState } from './pod-index.ts'
import type { ReadMetrics } from './read-metrics.ts'
import { readMetricsOverHttp } from './read-metrics-over-http.ts'
import { createSampleConverter } from './sample-converter.ts'
import { type Scraping, scrapePods } from './scrape-pods.ts'

const START = Date.UTC(2026, 2, 1)

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

const connectTo = async (_pod: PodState, port: number) => connect(port, '127.0.0.1')

/** Scrapes the pods with `readMetrics`, and returns the samples as they arrive. */
const startScraping = (
  pods: readonly PodState[],
  readMetrics: ReadMetrics,
  clock: Clock,
): { samples: MetricSample[]; scraping: Scraping } => {
  const samples: MetricSample[] = []
  const convert = createSampleConverter()
  const scraping = scrapePods({
    readMetrics,
    clock,
    onScrape: (batch) => samples.push(...convert(batch)),
  })
  for (const pod of pods) scraping.update(pod)
  cleanups.push(scraping.close)
  return { samples, scraping }
}

const scrapeOverHttp = (pods: readonly PodState[]): MetricSample[] => {
  const clock = createRealClock()
  return startScraping(pods, readMetricsOverHttp(connectTo, clock), clock).samples
}

it('adds the labels of the pod to its metrics', async () => {
  const requested: string[] = []
  const port = await serve((request, response) => {
    requested.push(request.url!)
    response.end('a_total{endpoint="GET /"} 3\nb 4\n')
  })
  const samples = scrapeOverHttp([podWithPort('cart', port, { 'prometheus.io/path': '/own' })])
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
  const samples = scrapeOverHttp([
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
  const late = Promise.withResolvers<PassThrough>()
  const readMetrics = readMetricsOverHttp(() => late.promise, clock)
  const { samples } = startScraping([podWithPort('cart', 80)], readMetrics, clock)
  clock.advance(200)
  clock.advance(3000)
  await expect.poll(() => samples.map(({ value }) => value)).toEqual([0])
  const connection = new PassThrough()
  late.resolve(connection)
  await expect.poll(() => connection.destroyed).toBe(true)
})

describe('a reader without HTTP', () => {
  const upOf = (samples: readonly MetricSample[]) =>
    samples.filter(({ name }) => name === 'up').map(({ time, value }) => [(time - START) / 1000, value])

  it('is scraped every five seconds, and its answer may be a function', () => {
    const clock = createVirtualClock(START)
    let count = 0
    const { samples } = startScraping([podWithPort('cart', 80)], () => () => `a ${++count}`, clock)
    clock.advance(12_000)
    expect(upOf(samples)).toEqual([
      [0.1, 1],
      [5.1, 1],
      [10.1, 1],
    ])
    expect(samples.filter(({ name }) => name === 'a').map(({ value }) => value)).toEqual([1, 2, 3])
  })

  it('reports an unchanged value again only after half a minute', () => {
    const clock = createVirtualClock(START)
    const { samples } = startScraping([podWithPort('cart', 80)], () => 'a 7', clock)
    clock.advance(31_000)
    const times = samples.filter(({ name }) => name === 'a').map(({ time }) => (time - START) / 1000)
    expect(times).toEqual([0.1, 30.1])
  })

  it('reports the pod as down if it throws', () => {
    const clock = createVirtualClock(START)
    const readMetrics = () => {
      throw new Error('no answer')
    }
    const { samples } = startScraping([podWithPort('cart', 80)], readMetrics, clock)
    clock.advance(1000)
    expect(upOf(samples)).toEqual([[0.1, 0]])
  })

  it('spreads pods over the period, and stops when a pod terminates', () => {
    const clock = createVirtualClock(START)
    const asked: string[] = []
    const pods = ['a', 'b', 'c'].map((name) => podWithPort(name, 80))
    const readMetrics: ReadMetrics = ({ name }) => {
      asked.push(`${(clock.now() - START) / 1000} ${name}`)
      return 'a 1'
    }
    const { scraping } = startScraping(pods, readMetrics, clock)
    clock.advance(1000)
    scraping.update({ ...pods[0]!, deleting: true })
    scraping.remove(pods[1]!)
    clock.advance(5000)
    expect(asked).toEqual(['0.1 a', '0.497 b', '0.894 c', '5.894 c'])
  })

  it('ignores the answer of a pod that was removed meanwhile', async () => {
    const clock = createVirtualClock(START)
    const answer = Promise.withResolvers<string>()
    const pod = podWithPort('cart', 80)
    const { samples, scraping } = startScraping([pod], () => answer.promise, clock)
    clock.advance(1000)
    scraping.remove(pod)
    answer.resolve('a 1')
    await answer.promise
    expect(samples).toEqual([])
  })
})
