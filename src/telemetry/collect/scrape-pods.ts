/** Asks the pods that want it for their metrics, one after another, each every few seconds. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '../../kit/index.ts'
import type { MetricSample } from '../../spec/index.ts'
import { fetchMetrics } from './fetch-metrics.ts'
import { parseLabels, parsePrometheus } from './parse-prometheus.ts'
import type { PodIndex, PodState } from './pod-index.ts'

const PERIOD_MS = 5000
const LIMIT_MS = 3000
const LOOK_MS = 100
const MOST_SAMPLES = 2000
/** A value that does not change is told again after this. */
const UNCHANGED_MS = 30_000

/** A connection to a port inside the pod. */
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
  const wanted = annotations['prometheus.io/scrape'] === 'true' && phase === 'Running' && !deleting
  if (!wanted || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const path = annotations['prometheus.io/path'] ?? '/metrics'
  return { port, path: /^\/[\x21-\x7e]*$/.test(path) ? path : '/metrics' }
}

/** The samples of one answer that are news. What the answer before did not have is forgotten. */
const createNews = (pod: PodState) => {
  let known = new Map<string, KnownSeries>()
  const { namespace, service, name } = pod
  return (text: string, time: number): MetricSample[] => {
    const samples: MetricSample[] = []
    const present = new Map<string, KnownSeries>()
    for (const { name: metric, labelText, value } of parsePrometheus(text, MOST_SAMPLES)) {
      const key = metric + labelText
      const series = known.get(key)
      if (series !== undefined && series.value === value && time - series.time < UNCHANGED_MS) {
        present.set(key, series)
        continue
      }
      const own = series?.labels ?? parseLabels(labelText)
      if (own === undefined) continue
      const labels = series?.labels ?? { ...own, namespace, service, pod: name }
      present.set(key, { labels, value, time })
      samples.push({ time, name: metric, labels, value })
    }
    known = present
    return samples
  }
}

/** A connection, unless it takes too long: then it is closed when it comes. */
const connectInTime = async (connecting: Promise<Duplex>, clock: Clock): Promise<Duplex> => {
  const tooLate = Promise.withResolvers<never>()
  const timer = clock.after(LIMIT_MS, () => {
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
  const targets = new Map<string, { news: ReturnType<typeof createNews>; due: number; busy: boolean }>()
  let closed = false

  const scrape = async (pod: PodState, { port, path }: { port: number; path: string }): Promise<void> => {
    const target = targets.get(pod.uid)!
    const { namespace, service, name } = pod
    const tellUp = (value: number): void =>
      onSamples([{ time: clock.now(), name: 'up', labels: { namespace, service, pod: name }, value }])
    try {
      const connection = await connectInTime(connect(pod, port), clock)
      const text = await fetchMetrics(connection, { path, clock, limitMs: LIMIT_MS })
      if (closed) return
      onSamples(target.news(text, clock.now()))
      tellUp(1)
    } catch {
      if (!closed) tellUp(0)
    }
  }

  /** Those that are due; new ones are spread over the period, so that there is never a crowd. */
  const look = (): void => {
    const now = clock.now()
    const present = new Set<string>()
    for (const pod of pods.all()) {
      const place = targetOf(pod)
      if (place === undefined) continue
      present.add(pod.uid)
      const known = targets.get(pod.uid) ?? {
        news: createNews(pod),
        due: now + ((targets.size * 397) % PERIOD_MS),
        busy: false,
      }
      targets.set(pod.uid, known)
      if (known.busy || known.due > now) continue
      known.due = Math.max(known.due + PERIOD_MS, now)
      known.busy = true
      void scrape(pod, place).finally(() => {
        known.busy = false
      })
    }
    for (const uid of targets.keys()) if (!present.has(uid)) targets.delete(uid)
    timer = clock.after(LOOK_MS, look)
  }
  let timer: Timer = clock.after(LOOK_MS, look)

  return {
    close() {
      closed = true
      timer.cancel()
    },
  }
}
