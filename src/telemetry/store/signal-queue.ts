/** What waits to be written: bounded, and what finds no room is counted. */
import type { MetricSample, TelemetrySink } from '../../spec/index.ts'
import { noSignals, type SignalCounts, type SignalKind } from './signal-kinds.ts'
import type { Series, WriteBatch } from './write-batch.ts'

/** Series beyond this are somebody's mistake or malice, and nothing of them is ever evicted. */
const MOST_SERIES = 200_000
/** Letters of all their names and labels together. */
const MOST_SERIES_LETTERS = 16 * 2 ** 20
/** Letters of what waits: less than the room that a file keeps, and than a process would miss. */
const MOST_WAITING_LETTERS = 16 * 2 ** 20
/** What a signal takes beside the text in it. */
const SIGNAL_LETTERS = 100

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
  spans: [],
  logs: [],
  series: [],
  samples: [],
  events: [],
  requests: [],
  journeys: [],
  alerts: [],
  epochs: [],
})

/** Numbers series; labels that are the same object need not be compared again. */
const createSeriesNumbers = (onNew: (series: Series) => void) => {
  const byObject = new WeakMap<object, Map<string, number>>()
  const byText = new Map<string, number>()
  let letters = 0

  const number = ({ name, labels }: MetricSample): number | undefined => {
    const text = `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`
    const known = byText.get(text)
    if (known !== undefined) return known
    if (byText.size >= MOST_SERIES || letters + text.length > MOST_SERIES_LETTERS) return undefined
    letters += text.length
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

/** About as long as it is in the file. */
const lettersOf = (signal: object): number => {
  let letters = SIGNAL_LETTERS
  for (const value of Object.values(signal)) {
    if (typeof value === 'string') letters += value.length
    else if (typeof value === 'object' && value !== null) letters += JSON.stringify(value).length
  }
  return letters
}

export const createSignalQueue = (most: number): SignalQueue => {
  const dropped = noSignals()
  let batch = emptyBatch()
  let size = 0
  let letters = 0
  let ended = false
  const seriesOf = createSeriesNumbers((series) => batch.series.push(series))

  const admit = (kind: SignalKind, wanted: number): number => {
    const room = ended ? 0 : Math.max(0, Math.min(wanted, most - size))
    dropped[kind] += wanted - room
    size += room
    return room
  }

  const add = <T extends object>(kind: Exclude<SignalKind, 'metrics'>, signals: readonly T[]): void => {
    const room = admit(kind, signals.length)
    const list = batch[kind] as unknown as T[]
    for (const signal of signals.slice(0, room)) {
      if (letters >= MOST_WAITING_LETTERS) dropped[kind] += 1
      else {
        letters += lettersOf(signal)
        list.push(signal)
      }
    }
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
      letters = 0
      return taken
    },
    end() {
      ended = true
    },
    dropped,
  }
}
