/** What waits to be written: bounded, and what finds no room is counted. */
import type { MetricSample, TelemetrySink } from '../../spec/index.ts'
import { noSignals, type SignalCounts, type SignalKind } from './signal-kinds.ts'
import type { Series, WriteBatch } from './write-batch.ts'

/** Series beyond this are somebody's mistake or malice. */
const MOST_SERIES = 200_000

export interface SignalQueue extends TelemetrySink {
  mark(time: number, name: string): void
  size(): number
  /** All of it; the queue is empty then. */
  take(): WriteBatch
  /** Refuses everything from now on. */
  end(): void
  readonly dropped: SignalCounts
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] }

const emptyBatch = (): Mutable<Omit<WriteBatch, 'samples'>> & { samples: number[] } => ({
  ...{
    spans: [],
    logs: [],
    series: [],
    samples: [],
    events: [],
    requests: [],
    journeys: [],
    alerts: [],
    epochs: [],
  },
})

/** Numbers series; labels that are the same object need not be compared again. */
const createSeriesNumbers = (onNew: (series: Series) => void) => {
  const byObject = new WeakMap<object, Map<string, number>>()
  const byText = new Map<string, number>()

  const number = ({ name, labels }: MetricSample): number | undefined => {
    const text = `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`
    const known = byText.get(text)
    if (known !== undefined || byText.size >= MOST_SERIES) return known
    const id = byText.size + 1
    byText.set(text, id)
    onNew({ id, name, labels })
    return id
  }

  return (sample: MetricSample): number | undefined => {
    const names = byObject.get(sample.labels) ?? new Map<string, number>()
    const known = names.get(sample.name) ?? number(sample)
    if (known !== undefined && names.size === 0) byObject.set(sample.labels, names)
    if (known !== undefined) names.set(sample.name, known)
    return known
  }
}

export const createSignalQueue = (most: number): SignalQueue => {
  const dropped = noSignals()
  let batch = emptyBatch()
  let size = 0
  let ended = false
  const seriesOf = createSeriesNumbers((series) => batch.series.push(series))

  const admit = (kind: SignalKind, wanted: number): number => {
    const room = ended ? 0 : Math.max(0, Math.min(wanted, most - size))
    dropped[kind] += wanted - room
    size += room
    return room
  }

  const add = <T>(kind: Exclude<SignalKind, 'metrics'>, signals: readonly T[]): void => {
    const room = admit(kind, signals.length)
    const list = batch[kind] as unknown as T[]
    for (let at = 0; at < room; at += 1) list.push(signals[at]!)
  }

  return {
    spans: (signals) => add('spans', signals),
    logs: (signals) => add('logs', signals),
    events: (signals) => add('events', signals),
    requests: (signals) => add('requests', signals),
    journeys: (signals) => add('journeys', signals),
    alert: (alert) => add('alerts', [alert]),
    metrics(samples) {
      const room = admit('metrics', samples.length)
      for (let at = 0; at < room; at += 1) {
        const sample = samples[at]!
        const series = seriesOf(sample)
        if (series === undefined) dropped.metrics += 1
        else batch.samples.push(series, sample.time, sample.value)
      }
    },
    mark(time, name) {
      batch.epochs.push({ time, name })
      size += 1
    },
    size: () => size,
    take() {
      const taken = { ...batch, samples: Float64Array.from(batch.samples) }
      batch = emptyBatch()
      size = 0
      return taken
    },
    end() {
      ended = true
    },
    dropped,
  }
}
