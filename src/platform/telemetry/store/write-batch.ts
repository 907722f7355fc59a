/** Messages to and from the thread that writes a telemetry file. */
import type { Alert, ClusterEvent, JourneyRecord, LogLine, RequestRecord, Span } from '#spec'
import type { SignalCounts } from './signal-kinds.ts'

export interface Series {
  readonly id: number
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface WriteBatch {
  readonly spans: readonly Span[]
  readonly logs: readonly LogLine[]
  readonly series: readonly Series[]
  /** Triples of series id, time and value. */
  readonly samples: Float64Array
  readonly events: readonly ClusterEvent[]
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
  readonly alerts: readonly Alert[]
  readonly epochs: readonly { readonly time: number; readonly name: string }[]
}

export type WriterCommand =
  | { readonly command: 'write'; readonly batch: WriteBatch }
  | { readonly command: 'close'; readonly dropped: SignalCounts }

export interface WriterReply {
  /** Signals of the last batch that could not be written. */
  readonly failed: SignalCounts
  /** Signals that were evicted. */
  readonly evicted: SignalCounts
  /** The reason why the batch failed; absent if it did not. */
  readonly problem?: string
  /** Whether the disk failed, as opposed to invalid signals. */
  readonly isDiskFailure?: boolean
}

export interface WriterSettings {
  readonly file: string
  readonly maxBytes: number
}
