/** Tests of all collectors together under a virtual clock, without sockets, threads and files. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually, sleep } from '#kit'
import type { PodReading, Span } from '#spec'
import { createDirectSpans } from './collect/direct-spans.ts'
import type { LogCallbacks } from './collect/log-collector.ts'
import { createTelemetry } from './create-telemetry.ts'
import { createMemoryTelemetryStore } from './store/memory/create-memory-telemetry-store.ts'
import { createFakeCluster } from './testing/fake-cluster.ts'
import { fakePod } from './testing/fake-pod.ts'
import { SAMPLE_SIGNALS } from './testing/sample-signals.ts'

const START = Date.UTC(2026, 2, 1)

const readingAt = (seconds: number): PodReading => ({
  containers: {
    server: {
      cpuSeconds: seconds,
      cpuPeriods: seconds * 10,
      cpuThrottledPeriods: 0,
      cpuThrottledSeconds: 0,
      memoryWorkingSet: 9,
      readBytes: 0,
      writtenBytes: 0,
    },
  },
})

/** Runs a system of two pods; the cart fails every request after half a minute. */
const createSystem = async () => {
  const clock = createVirtualClock(START)
  const cluster = createFakeCluster()
  const store = createMemoryTelemetryStore({ clock })
  const spans = createDirectSpans()
  const logs = new Map<string, LogCallbacks>()
  const annotations = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '80' }
  for (const name of ['cart', 'web']) cluster.put('pods', fakePod(`${name}-0`, name, { annotations }))
  const seconds = (): number => (clock.now() - START) / 1000
  const telemetry = await createTelemetry({
    store,
    api: cluster.api,
    clock,
    namespace: 'shop',
    openSpans: spans.open,
    followLogs(pod, _container, callbacks) {
      logs.set(pod.name, callbacks)
      return () => logs.delete(pod.name)
    },
    statistics: { read: () => readingAt(seconds()) },
    volumes: { read: async () => [] },
    readMetrics: (pod) => {
      const served = Math.floor(seconds())
      return () => `requests_served_total{pod_name="${pod.name}"} ${served}`
    },
    onError: (error) => expect.unreachable(error.message),
  })
  telemetry.startAlerts()
  store.mark('ready')

  /** One request a second from web to cart, between the evaluations of alerts. */
  const serve = (second: number): void => {
    const failed = second >= 30
    const common = {
      ...SAMPLE_SIGNALS.spans[0]!,
      traceId: String(second).padStart(32, '0'),
      start: clock.now() - 20,
      durationMs: 10,
      status: failed ? 'error' : 'ok',
    } satisfies Span
    spans.send('uid-of-cart-0', { ...common, kind: 'server', service: 'cart', pod: 'cart-0' })
    spans.send('uid-of-web-0', { ...common, kind: 'client', service: 'web', pod: 'web-0', peer: 'cart' })
    if (failed) logs.get('cart-0')!.onLine(clock.now(), `ERROR request ${second} failed`)
    const run = { journey: 'buy', run: second, intended: clock.now() - 30, started: clock.now() - 30 }
    telemetry.recordJourneys([{ ...run, latencyMs: 30, ok: !failed }])
  }
  const play = async (from: number, to: number): Promise<void> => {
    for (let second = from; second < to; second += 1) {
      await sleep(clock, 500)
      serve(second)
      await sleep(clock, 500)
    }
  }
  return { clock, store, telemetry, play }
}

/** The telemetry of a system after a minute, as users of telemetry query it. */
const observe = async () => {
  const { clock, store, telemetry, play } = await createSystem()
  return await runVirtually(clock, async () => {
    await play(0, 60)
    await store.flush()
    const range = { from: START + 40_000, to: clock.now() }
    const answers = {
      alerts: await store.query.alerts(),
      graph: await store.query.graph(range),
      logs: await store.query.logs({ range, limit: 3 }),
      served: await store.query.metric('requests_served_total', { services: ['cart'] }),
      cpu: await store.query.metric('container_cpu_usage_seconds_total', { services: ['web'] }),
      sql: await store.sql(`SELECT name, count(*) AS n FROM metrics GROUP BY name ORDER BY name`, [], {
        since: START,
      }),
    }
    await telemetry.close()
    await store.close()
    return answers
  })
}

it('collects all signals of a simulated system', async () => {
  const { alerts, graph, logs, served, cpu } = await observe()
  expect(alerts.map(({ name }) => name).sort()).toEqual([
    'JourneyErrorBudgetBurn',
    'JourneyErrorBudgetDrain',
    'ServiceErrorRateHigh',
  ])
  expect(graph).toMatchObject([{ from: 'web', to: 'cart', errorRate: 1, p50: 10 }])
  expect(logs.map(({ text, severity }) => [text, severity])).toEqual([
    ['ERROR request 57 failed', 'error'],
    ['ERROR request 58 failed', 'error'],
    ['ERROR request 59 failed', 'error'],
  ])
  expect(served.slice(0, 3).map(({ time, value }) => [time - START, value])).toEqual([
    [100, 0],
    [5100, 5],
    [10_100, 10],
  ])
  expect(cpu.map(({ value }) => value)).toEqual(Array.from({ length: 30 }, (_, n) => 2 * (n + 1)))
})

it('gives the same answers in every run', async () => {
  expect(await observe()).toEqual(await observe())
})

it('continues in a second system as in the first', async () => {
  const first = await createSystem()
  await runVirtually(first.clock, () => first.play(0, 32))
  const [signals, alerts] = [first.store.snapshot(), first.telemetry.snapshotAlerts()]
  const second = await createSystem()
  await runVirtually(second.clock, () => sleep(second.clock, 32_000))
  second.store.restore(signals)
  second.telemetry.restoreAlerts(alerts)
  for (const { clock, play } of [first, second]) await runVirtually(clock, () => play(32, 60))
  const [expected, actual] = await Promise.all([first.store.query.alerts(), second.store.query.alerts()])
  expect(expected.length).toBeGreaterThan(2)
  expect(actual).toEqual(expected)
  expect(await second.store.query.graph()).toEqual(await first.store.query.graph())
  for (const { telemetry, store } of [first, second]) {
    await telemetry.close()
    await store.close()
  }
})
