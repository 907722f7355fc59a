/** Scrapes the metrics of annotated pods every few seconds. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '#kit'
import type { MetricSample } from '#spec'
import { fetchMetrics } from './fetch-metrics.ts'
import { parseLabels, parsePrometheus } from './parse-prometheus.ts'
import type { PodIndex, PodState } from './pod-index.ts'

const PERIOD_MS = 5000
const TIMEOUT_MS = 3000
const POLL_MS = 100
const MAX_SAMPLES = 2000
/** An unchanged value is reported again after this time. */
const REPEAT_MS = 30_000

/** Opens a connection to a port of the pod. */
export type ConnectToPod = (pod: PodState, port: number) => Promise<Duplex>

export interface ScrapeOptions {
  readonly pods: PodIndex
  readonly connect: ConnectToPod
  readonly clock: Clock
  onSamples(samples: readonly MetricSample[]): void
}

interface KnownSeries {
  readonly labels: MetricSample['labels']
  value: number
  time: number
}

const targetOf = ({ annotations, phase, deleting }: PodState): { port: number; path: string } | undefined => {
  const port = Number(annotations['prometheus.io/port'])
  const isEnabled = annotations['prometheus.io/scrape'] === 'true' && phase === 'Running' && !deleting
  if (!isEnabled || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const path = annotations['prometheus.io/path'] ?? '/metrics'
  return { port, path: /^\/[\x21-\x7e]*$/.test(path) ? path : '/metrics' }
}

/** The returned function selects the samples of a scrape that have changed or were not reported for a while. */
const createChangeFilter = (pod: PodState) => {
  let known = new Map<string, KnownSeries>()
  const { namespace, service, name } = pod
  return (text: string, time: number): MetricSample[] => {
    const samples: MetricSample[] = []
    const present = new Map<string, KnownSeries>()
    for (const { name: metric, labelText, value } of parsePrometheus(text, MAX_SAMPLES)) {
      const key = metric + labelText
      const series = known.get(key)
      if (series !== undefined && series.value === value && time - series.time < REPEAT_MS) {
        present.set(key, series)
        continue
      }
      const ownLabels = series?.labels ?? parseLabels(labelText)
      if (ownLabels === undefined) continue
      const labels = series?.labels ?? { ...ownLabels, namespace, service, pod: name }
      present.set(key, { labels, value, time })
      samples.push({ time, name: metric, labels, value })
    }
    known = present
    return samples
  }
}

/** Rejects after the timeout; a connection that is established later is closed. */
const connectInTime = async (connecting: Promise<Duplex>, clock: Clock): Promise<Duplex> => {
  const tooLate = Promise.withResolvers<never>()
  const timer = clock.after(TIMEOUT_MS, () => {
    connecting.then(
      (late) => late.destroy(),
      () => {},
    )
    tooLate.reject(new Error('no connection in time'))
  })
  try {
    return await Promise.race([connecting, tooLate.promise])
  } finally {
    timer.cancel()
  }
}

export const scrapePods = ({ pods, connect, clock, onSamples }: ScrapeOptions): { close(): void } => {
  const targets = new Map<
    string,
    { filterChanges: ReturnType<typeof createChangeFilter>; due: number; busy: boolean }
  >()
  let closed = false

  const scrape = async (pod: PodState, { port, path }: { port: number; path: string }): Promise<void> => {
    const target = targets.get(pod.uid)!
    const { namespace, service, name } = pod
    const reportUp = (value: number): void =>
      onSamples([{ time: clock.now(), name: 'up', labels: { namespace, service, pod: name }, value }])
    try {
      const connection = await connectInTime(connect(pod, port), clock)
      const text = await fetchMetrics(connection, { path, clock, timeoutMs: TIMEOUT_MS })
      if (closed) return
      onSamples(target.filterChanges(text, clock.now()))
      reportUp(1)
    } catch {
      if (!closed) reportUp(0)
    }
  }

  /** Scrapes the pods that are due. New pods are spread over the period to avoid bursts. */
  const scrapeDue = (): void => {
    const now = clock.now()
    const present = new Set<string>()
    for (const pod of pods.all()) {
      const endpoint = targetOf(pod)
      if (endpoint === undefined) continue
      present.add(pod.uid)
      const known = targets.get(pod.uid) ?? {
        filterChanges: createChangeFilter(pod),
        due: now + ((targets.size * 397) % PERIOD_MS),
        busy: false,
      }
      targets.set(pod.uid, known)
      if (known.busy || known.due > now) continue
      known.due = Math.max(known.due + PERIOD_MS, now)
      known.busy = true
      void scrape(pod, endpoint).finally(() => {
        known.busy = false
      })
    }
    for (const uid of targets.keys()) if (!present.has(uid)) targets.delete(uid)
    timer = clock.after(POLL_MS, scrapeDue)
  }
  let timer: Timer = clock.after(POLL_MS, scrapeDue)

  return {
    close() {
      closed = true
      timer.cancel()
    },
  }
}
