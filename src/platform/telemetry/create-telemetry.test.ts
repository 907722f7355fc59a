/** Tests of all collectors together, with a fake cluster. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import { createSpanSockets } from './collect/span-sockets.ts'
import { createTelemetry, type Telemetry } from './create-telemetry.ts'
import { createFakeCluster, type FakeCluster } from './testing/fake-cluster.ts'
import { fakePod } from './testing/fake-pod.ts'
import { createRecordingSink, type RecordingSink } from './testing/recording-sink.ts'
import { SAMPLE_SIGNALS } from './testing/sample-signals.ts'

let folder: string
let cluster: FakeCluster
let sink: RecordingSink
let telemetry: Telemetry
const clock = createRealClock()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'collect-'))
  cluster = createFakeCluster()
  sink = createRecordingSink()
  cluster.put('pods', fakePod('cart-0', 'cart'))
  cluster.put('pods', {
    ...fakePod('other-0', 'other'),
    metadata: { name: 'other-0', namespace: 'elsewhere' },
  })
  telemetry = await createTelemetry({
    store: sink,
    api: cluster.api,
    clock,
    namespace: 'shop',
    openSpans: (receiver) => createSpanSockets({ folder, ...receiver }),
    followLogs(_pod, _container, { onChunk }) {
      onChunk(Buffer.from('2026-11-15T09:00:00.000000001Z begins\n'))
      return () => {}
    },
    statistics: {
      read: (uid) => ({
        containers: {
          server: {
            cpuSeconds: uid === 'uid-of-cart-0' ? 7 : 0,
            cpuPeriods: 1,
            cpuThrottledPeriods: 0,
            cpuThrottledSeconds: 0,
            memoryWorkingSet: 9,
            readBytes: 0,
            writtenBytes: 3,
          },
        },
        network: { receivedBytes: 5, sentBytes: 6, receiveDropped: 0, sendDropped: 0 },
      }),
    },
    onError: (error) => expect.unreachable(error.message),
  })
})
afterEach(async () => {
  await telemetry.close()
  expect(cluster.watchers()).toBe(0)
  rmSync(folder, { recursive: true })
})

const event = (name: string, fields: object = {}): object => ({
  metadata: { name, namespace: 'shop' },
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off',
  count: 2,
  lastTimestamp: '2026-11-15T09:00:00Z',
  involvedObject: { kind: 'Pod', namespace: 'shop', name: 'cart-0' },
  ...fields,
})

it('keeps a socket for each existing pod', async () => {
  cluster.put('pods', fakePod('web-0', 'web'))
  const socketPath = join(folder, 'uid-of-web-0', 'telemetry.sock')
  await expect.poll(() => existsSync(socketPath)).toBe(true)
  cluster.remove('pods', 'web-0')
  await expect.poll(() => readdirSync(folder)).toEqual(['uid-of-cart-0'])
})

it('collects the logs of pods in the namespace only', () => {
  cluster.put('pods', fakePod('web-0', 'web'))
  expect(sink.seen.logs.map(({ pod, text }) => `${pod} ${text}`)).toEqual(['cart-0 begins', 'web-0 begins'])
})

it('collects events of the namespace and of nodes once, and adds the service', async () => {
  cluster.put('events', event('a'))
  cluster.put('events', event('b', { involvedObject: { kind: 'Pod', namespace: 'elsewhere', name: 'x' } }))
  cluster.put('events', event('c', { involvedObject: { kind: 'Node', name: 'node1' } }))
  cluster.put(
    'events',
    event('d', { involvedObject: { kind: 'Deployment', namespace: 'shop', name: 'cart' } }),
  )
  cluster.interrupt()
  await expect.poll(() => cluster.watchers()).toBe(5)
  expect(sink.seen.events.map(({ object, service, count }) => [object, service, count])).toEqual([
    ['Pod/cart-0', 'cart', 2],
    ['Node/node1', undefined, 2],
    ['Deployment/cart', 'cart', 2],
  ])
  expect(sink.seen.events[0]!.time).toBe(Date.UTC(2026, 10, 15, 9))
})

it('accepts events with invalid fields', () => {
  cluster.put(
    'events',
    event('odd', {
      lastTimestamp: 'never',
      eventTime: '2026-11-15T09:00:00Z',
      count: 'many',
      message: { a: 1 },
    }),
  )
  cluster.put('events', event('huge', { message: 'm'.repeat(1e6), reason: null, series: null }))
  expect(sink.seen.events.map(({ time, count, message }) => [time > 0, count, message.length])).toEqual([
    [true, 1, 0],
    [true, 2, 4096],
  ])
})

it('measures containers, pods and their network every two seconds', async () => {
  await expect.poll(() => sink.seen.metrics.length).toBeGreaterThan(0)
  const seen = Object.fromEntries(
    sink.seen.metrics.map(({ name, value, labels }) => [name, { value, labels }]),
  )
  const pod = { namespace: 'shop', service: 'cart', pod: 'cart-0' }
  expect(seen.container_cpu_usage_seconds_total).toEqual({
    value: 7,
    labels: { ...pod, container: 'server' },
  })
  expect(seen.container_network_receive_bytes_total).toEqual({ value: 5, labels: pod })
  expect(seen.kube_pod_container_status_restarts_total).toMatchObject({ value: 0 })
  expect(seen.kube_pod_status_ready).toMatchObject({ value: 1 })
  expect(seen).not.toHaveProperty('container_spec_memory_limit_bytes')
})

it('records spans, requests and journeys, and raises alerts only after startAlerts', async () => {
  const socket = connect(join(folder, 'uid-of-cart-0', 'telemetry.sock'))
  const spans = SAMPLE_SIGNALS.spans.slice(0, 5).map((span) => ({ ...span, start: clock.now() }))
  socket.end(`${JSON.stringify({ spans })}\nno spans\n`)
  await expect.poll(() => sink.seen.spans).toHaveLength(5)
  expect(new Set(sink.seen.spans.map(({ service, pod }) => `${service} ${pod}`))).toEqual(
    new Set(['cart cart-0']),
  )
  expect(telemetry.rejectedSpans()).toBe(1)
  telemetry.recordRequests(SAMPLE_SIGNALS.requests)
  telemetry.recordJourneys(SAMPLE_SIGNALS.journeys)
  expect([sink.seen.requests.length, sink.seen.journeys.length]).toEqual([60, 60])
  cluster.put('pods', fakePod('cart-0', 'cart', { waiting: 'CrashLoopBackOff' }))
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect(sink.seen.alerts).toEqual([])
  telemetry.startAlerts()
  await expect.poll(() => telemetry.activeAlerts().map(({ name }) => name)).toEqual(['PodCrashLooping'])
  telemetry.pauseAlerts()
  expect(sink.seen.alerts.map(({ cleared }) => typeof cleared)).toEqual(['undefined', 'number'])
})
