/** What goes to the thread that writes a telemetry file, and what comes back. */
import type { Alert, ClusterEvent, JourneyRecord, LogLine, RequestRecord, Span } from '../../spec/index.ts'
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
  /** Threes: id of the series, time, value. */
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
  /** What could not be written, of the last batch. */
  readonly failed: SignalCounts
  /** What had to make room. */
  readonly evicted: SignalCounts
  /** Why, where something failed. */
  readonly problem?: string
  /** Whether the disk is to blame for it, and not what was sent. */
  readonly isDiskAtFault?: boolean
}

export interface WriterSettings {
  readonly file: string
  readonly maxBytes: number
}
