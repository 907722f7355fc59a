/**
 * Keeps signals in arrays, in the order in which they arrived. Above the maximum size, the oldest signals of the largest kind are
 * evicted, as in a telemetry file.
 */
import type { CollectedSink, SampleBatch } from '../../collect/collected-sink.ts'
import { EVICT_ABOVE_SHARE, EVICT_TO_SHARE, SLICE_SHARE } from '../evictor.ts'
import type { MemorySignals } from './memory-signals.ts'

/** Approximate sizes in bytes in a telemetry file, with the entries of its indices. */
const SPAN_BYTES = 500
const LINE_BYTES = 200
const SAMPLE_BYTES = 80
const EVENT_BYTES = 200
const REQUEST_BYTES = 250
const JOURNEY_BYTES = 150
/** The samples of a pod's states and usage. */
const SAMPLES_PER_POD = 16
/** A typical size of metrics that have not been formatted yet. */
const METRICS_BYTES = 4000

/** Alerts and epochs are never evicted: they are few. */
const EVICTED_KINDS = ['spans', 'lines', 'samples', 'events', 'requests', 'journeys'] as const

type EvictedKind = (typeof EVICTED_KINDS)[number]

const batchBytes = (batch: SampleBatch): number => {
  switch (batch.type) {
    case 'usage':
      return SAMPLE_BYTES * SAMPLES_PER_POD * batch.pods.length
    case 'scrape':
      return typeof batch.text === 'string' ? batch.text.length : METRICS_BYTES
    case 'plain':
      return SAMPLE_BYTES * batch.samples.length
  }
}

const BYTES_OF: { readonly [Kind in EvictedKind]: (signal: MemorySignals[Kind][number]) => number } = {
  spans: ({ message }) => SPAN_BYTES + (message?.length ?? 0),
  lines: ({ text }) => LINE_BYTES + text.length,
  samples: batchBytes,
  events: ({ message }) => EVENT_BYTES + message.length,
  requests: () => REQUEST_BYTES,
  journeys: () => JOURNEY_BYTES,
}

type Arrays = { readonly [Kind in keyof MemorySignals]: MemorySignals[Kind][number][] }

/** The signals at one moment. */
export interface SignalSnapshot {
  readonly signals: MemorySignals
  readonly bytes: Readonly<Record<EvictedKind, number>>
}

export interface SignalArrays extends CollectedSink {
  /** Changes when signals arrive. */
  readonly signals: MemorySignals
  mark(time: number, name: string): void
  /** Independent of later changes; can be restored any number of times. */
  snapshot(): SignalSnapshot
  restore(snapshot: SignalSnapshot): void
}

const copyOf = (signals: MemorySignals): Arrays => ({
  spans: signals.spans.slice(),
  lines: signals.lines.slice(),
  samples: signals.samples.slice(),
  events: signals.events.slice(),
  requests: signals.requests.slice(),
  journeys: signals.journeys.slice(),
  alerts: signals.alerts.slice(),
  epochs: signals.epochs.slice(),
})

const noBytes = (): Record<EvictedKind, number> => ({
  spans: 0,
  lines: 0,
  samples: 0,
  events: 0,
  requests: 0,
  journeys: 0,
})

const noSignals = (): Arrays => ({
  spans: [],
  lines: [],
  samples: [],
  events: [],
  requests: [],
  journeys: [],
  alerts: [],
  epochs: [],
})

/** `onRemoved` is called when signals were evicted or replaced. */
export const createSignalArrays = (maxBytes: number, onRemoved: () => void): SignalArrays => {
  let arrays = noSignals()
  let bytes = noBytes()
  let totalBytes = 0

  const evictSlice = <Kind extends EvictedKind>(kind: Kind): void => {
    const list: MemorySignals[Kind][number][] = arrays[kind]
    const slice = list.splice(0, Math.max(1, Math.floor(list.length * SLICE_SHARE)))
    let freed = 0
    for (const signal of slice) freed += BYTES_OF[kind](signal)
    bytes[kind] -= freed
    totalBytes -= freed
  }
  const evict = (): void => {
    while (totalBytes > EVICT_TO_SHARE * maxBytes) {
      const largest = EVICTED_KINDS.reduce((most, kind) => (bytes[kind] > bytes[most] ? kind : most))
      evictSlice(largest)
    }
    onRemoved()
  }
  const add = <Kind extends EvictedKind>(kind: Kind, batch: readonly MemorySignals[Kind][number][]): void => {
    const list: MemorySignals[Kind][number][] = arrays[kind]
    const bytesOf = BYTES_OF[kind]
    let added = 0
    for (const signal of batch) {
      list.push(signal)
      added += bytesOf(signal)
    }
    bytes[kind] += added
    totalBytes += added
    if (totalBytes > EVICT_ABOVE_SHARE * maxBytes) evict()
  }

  return {
    get signals() {
      return arrays
    },
    spans: (batch) => add('spans', batch),
    logs: (batch) => add('lines', batch),
    lines: (batch) => add('lines', batch),
    metrics: (samples) => add('samples', [{ type: 'plain', samples }]),
    samples: (batch) => add('samples', [batch]),
    events: (batch) => add('events', batch),
    requests: (batch) => add('requests', batch),
    journeys: (batch) => add('journeys', batch),
    alert: (alert) => void arrays.alerts.push(alert),
    mark: (time, name) => void arrays.epochs.push({ time, name }),
    snapshot: () => ({ signals: copyOf(arrays), bytes: { ...bytes } }),
    restore(snapshot) {
      arrays = copyOf(snapshot.signals)
      bytes = { ...snapshot.bytes }
      totalBytes = EVICTED_KINDS.reduce((sum, kind) => sum + bytes[kind], 0)
      onRemoved()
    },
  }
}
