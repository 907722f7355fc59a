/** A bounded queue of signals to be written. Signals above the limits are dropped and counted. */
import type { TelemetrySink } from '#spec'
import { createSeriesIds } from './series-ids.ts'
import { noSignals, type SignalCounts, type SignalKind } from './signal-kinds.ts'
import type { WriteBatch } from './write-batch.ts'

/** Total length of queued signals: less than the space that eviction leaves in the file. */
const MAX_QUEUED_CHARACTERS = 16 * 2 ** 20
/** Size of a signal without its text. */
const SIGNAL_OVERHEAD_CHARACTERS = 100

export interface SignalQueue extends TelemetrySink {
  mark(time: number, name: string): void
  size(): number
  /** Removes and returns all signals. */
  take(): WriteBatch
  /** Drops all later signals. */
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

/** Approximates the size of a signal in the file. */
const countCharacters = (signal: object): number => {
  let characters = SIGNAL_OVERHEAD_CHARACTERS
  for (const value of Object.values(signal)) {
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) characters += JSON.stringify(value).length
  }
  return characters
}

export const createSignalQueue = (maxQueued: number): SignalQueue => {
  const dropped = noSignals()
  let batch = emptyBatch()
  let size = 0
  let characters = 0
  let ended = false
  const seriesIdOf = createSeriesIds((series) => batch.series.push(series))

  const admit = (kind: SignalKind, requested: number): number => {
    const accepted = ended ? 0 : Math.max(0, Math.min(requested, maxQueued - size))
    dropped[kind] += requested - accepted
    size += accepted
    return accepted
  }

  const add = <T extends object>(kind: Exclude<SignalKind, 'metrics'>, signals: readonly T[]): void => {
    const accepted = admit(kind, signals.length)
    const list = batch[kind] as unknown as T[]
    for (const signal of signals.slice(0, accepted)) {
      if (characters >= MAX_QUEUED_CHARACTERS) dropped[kind] += 1
      else {
        characters += countCharacters(signal)
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
      const accepted = admit('metrics', samples.length)
      for (let index = 0; index < accepted; index += 1) {
        const sample = samples[index]!
        const seriesId = seriesIdOf(sample)
        if (seriesId === undefined) dropped.metrics += 1
        else batch.samples.push(seriesId, sample.time, sample.value)
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
      characters = 0
      return taken
    },
    end() {
      ended = true
    },
    dropped,
  }
}
