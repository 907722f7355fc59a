/** Tests of the store in memory: the contract of queries, SQL, eviction and snapshots. */

import { afterEach, describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { ApiObject, Span } from '#spec'
import { toPodState } from '../../collect/pod-index.ts'
import { fakePod } from '../../testing/fake-pod.ts'
import { fillStore } from '../../testing/fill-store.ts'
import { SAMPLE_SIGNALS, T0 } from '../../testing/sample-signals.ts'
import { describeTelemetryQuery } from '../../testing/telemetry-query-contract.ts'
import {
  createMemoryTelemetryStore,
  type MemoryTelemetryStore,
  type MemoryTelemetryStoreOptions,
} from './create-memory-telemetry-store.ts'

const clock = createVirtualClock(T0 + 60_000)
const stores: MemoryTelemetryStore[] = []
const createStore = (options: Partial<MemoryTelemetryStoreOptions> = {}): MemoryTelemetryStore => {
  const store = createMemoryTelemetryStore({ clock, ...options })
  stores.push(store)
  return store
}
const createFilledStore = (): MemoryTelemetryStore => {
  const store = createStore()
  fillStore(store, SAMPLE_SIGNALS)
  return store
}
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

describeTelemetryQuery('over signals in memory', async (signals) => {
  const store = createMemoryTelemetryStore({ clock })
  fillStore(store, signals)
  return { query: store.query, close: store.close }
})

describeTelemetryQuery('over signals in memory that were restored', async (signals) => {
  const filled = createMemoryTelemetryStore({ clock })
  fillStore(filled, signals)
  const store = createMemoryTelemetryStore({ clock })
  store.restore(filled.snapshot())
  await filled.close()
  return { query: store.query, close: store.close }
})

const podOf = (name: string, service: string) => {
  const pod = fakePod(name, service) as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: name } })
}
const logText = async (store: MemoryTelemetryStore): Promise<string[]> =>
  (await store.query.logs()).map(({ text }) => text)
const countOf = async (store: MemoryTelemetryStore, table: string): Promise<unknown> =>
  (await store.sql(`SELECT count(*) AS n FROM ${table}`)).rows[0]!.n

describe('createMemoryTelemetryStore', () => {
  it('has no extent without signals', async () => {
    const store = createStore()
    expect(await store.query.extent()).toBeUndefined()
    expect(await store.query.graph()).toEqual([])
    expect(await store.query.endpoints()).toEqual([])
  })

  it('returns signals that arrived between queries', async () => {
    const store = createStore()
    const [first, second] = SAMPLE_SIGNALS.logs
    store.logs([first!])
    expect(await logText(store)).toEqual([first!.text])
    store.logs([second!])
    store.spans(SAMPLE_SIGNALS.spans)
    expect(await logText(store)).toEqual([first!.text, second!.text])
    expect(await store.query.spans({ limit: 1000 })).toHaveLength(SAMPLE_SIGNALS.spans.length)
  })

  it('converts collected lines, usage and metrics when they are queried', async () => {
    const store = createStore()
    const [cart, web] = [podOf('cart-0', 'cart'), podOf('web-0', 'web')]
    const reading = {
      containers: {
        server: {
          cpuSeconds: 7,
          cpuPeriods: 1,
          cpuThrottledPeriods: 0,
          cpuThrottledSeconds: 0,
          memoryWorkingSet: 9,
          readBytes: 0,
          writtenBytes: 3,
        },
      },
    }
    let formatted = 0
    const text = () => {
      formatted += 1
      return 'requests_served_total{endpoint="GET /"} 3'
    }
    store.lines([{ time: T0, pod: cart, container: 'server', text: 'ERROR: no' }])
    store.samples({ type: 'usage', time: T0, pods: [cart, web], readings: [reading, undefined] })
    store.samples({ type: 'scrape', time: T0 + 1, pod: web, isFirst: true, text })
    store.samples({ type: 'scrape', time: T0 + 2, pod: cart, isFirst: true })
    expect(await store.query.extent()).toEqual({ from: T0, to: T0 + 3 })
    expect(await store.query.services()).toEqual(['cart', 'web'])
    expect(await store.query.logs()).toMatchObject([{ severity: 'error', service: 'cart', pod: 'cart-0' }])
    expect(formatted).toBe(0)
    const served = { namespace: 'shop', service: 'web', pod: 'web-0', endpoint: 'GET /' }
    expect(await store.query.metric('requests_served_total')).toEqual([
      { time: T0 + 1, name: 'requests_served_total', labels: served, value: 3 },
    ])
    expect((await store.query.metric('up')).map(({ labels, value }) => [labels.pod, value])).toEqual([
      ['web-0', 1],
      ['cart-0', 0],
    ])
    expect((await store.query.metric('kube_pod_status_ready')).map(({ value }) => value)).toEqual([1, 1])
    expect((await store.query.metric('container_cpu_usage_seconds_total'))[0]!.value).toBe(7)
  })

  it('evicts the oldest signals of the largest kind to stay within the maximum size', async () => {
    const store = createStore({ maxBytes: 2 ** 20 })
    fillStore(store, SAMPLE_SIGNALS)
    const lineOf = (n: number) => ({
      ...SAMPLE_SIGNALS.logs[0]!,
      time: T0 + n,
      text: `${n} ${'x'.repeat(500)}`,
    })
    for (let n = 0; n < 5000; n += 1) {
      store.logs([lineOf(n)])
      if (n % 1000 === 0) expect(await store.query.logs({ limit: 1 })).toHaveLength(1)
    }
    const kept = Number(await countOf(store, 'logs'))
    expect(kept).toBeGreaterThan(700)
    expect(kept).toBeLessThan(1300)
    expect((await store.query.logs({ limit: 1 }))[0]!.text.startsWith('4999 ')).toBe(true)
    expect(await countOf(store, 'spans')).toBe(SAMPLE_SIGNALS.spans.length)
  })

  it('ignores signals and rejects queries after it has been closed', async () => {
    const store = createFilledStore()
    await store.query.logs()
    await store.close()
    await store.close()
    fillStore(store, SAMPLE_SIGNALS)
    const closedError = { code: 'tool-failed', message: 'The telemetry store was closed.' }
    await expect(store.query.logs()).rejects.toMatchObject(closedError)
    await expect(store.query.alerts()).rejects.toMatchObject(closedError)
    await expect(store.sql('SELECT 1')).rejects.toMatchObject(closedError)
    await expect(store.flush()).rejects.toMatchObject(closedError)
  })

  it('rejects queries if a signal cannot be converted to a row', async () => {
    const store = createFilledStore()
    store.spans([{ ...SAMPLE_SIGNALS.spans[0]!, durationMs: Number.NaN }])
    await expect(store.query.spans()).rejects.toThrow('NOT NULL constraint failed')
    await expect(store.sql('SELECT * FROM spans')).rejects.toThrow('NOT NULL constraint failed')
    expect(await store.query.logs({ limit: 2 })).toHaveLength(2)
  })
})

describe('a snapshot', () => {
  const markedSpan = (service: string): Span => ({ ...SAMPLE_SIGNALS.spans[0]!, service })
  const servicesOf = async (store: MemoryTelemetryStore): Promise<unknown[]> =>
    (await store.sql('SELECT DISTINCT service FROM spans ORDER BY 1')).rows.map(({ service }) => service)

  it('is independent of later signals, in all stores that were restored from it', async () => {
    const original = createStore()
    original.spans([markedSpan('a')])
    const snapshot = original.snapshot()
    expect(await servicesOf(original)).toEqual(['a'])
    const fork = createStore()
    fork.spans([markedSpan('z')])
    fork.restore(snapshot)
    original.spans([markedSpan('b')])
    fork.spans([markedSpan('c')])
    expect(await servicesOf(original)).toEqual(['a', 'b'])
    expect(await servicesOf(fork)).toEqual(['a', 'c'])
    original.restore(snapshot)
    expect(await servicesOf(original)).toEqual(['a'])
    expect(await original.query.services()).toEqual(['a'])
  })

  it('contains alerts, epochs and the size', async () => {
    const original = createStore({ maxBytes: 100_000 })
    fillStore(original, SAMPLE_SIGNALS)
    original.mark('ready')
    const fork = createStore({ maxBytes: 100_000 })
    fork.restore(original.snapshot())
    expect(await fork.query.alerts()).toEqual(SAMPLE_SIGNALS.alerts)
    expect((await fork.sql('SELECT time, name FROM epochs')).rows).toEqual([
      { time: clock.now(), name: 'ready' },
    ])
    for (const store of [original, fork]) for (let n = 0; n < 100; n += 1) store.spans([markedSpan('x')])
    expect(await countOf(fork, 'spans')).toBe(await countOf(original, 'spans'))
    expect(await countOf(fork, 'spans')).toBeLessThan(200)
  })
})
