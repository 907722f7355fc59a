/** Signals in memory, in the order in which they arrived. */
import type { Alert, ClusterEvent, JourneyRecord, LogLine, RequestRecord, Span } from '#spec'
import type { CollectedLine, SampleBatch } from '../../collect/collected-sink.ts'
import { toLogLine } from '../../collect/to-log-line.ts'

/** A line in the form in which it was collected, or a signal. */
export type MemoryLine = CollectedLine | LogLine

export interface MemorySignals {
  readonly spans: readonly Span[]
  readonly lines: readonly MemoryLine[]
  readonly samples: readonly SampleBatch[]
  readonly events: readonly ClusterEvent[]
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
  /** Contains an alert when it is raised, and again when it is cleared. */
  readonly alerts: readonly Alert[]
  readonly epochs: readonly { readonly time: number; readonly name: string }[]
}

export const lineOf = (line: MemoryLine): LogLine =>
  typeof line.pod === 'string' ? (line as LogLine) : toLogLine(line as CollectedLine)

export const serviceOfLine = (line: MemoryLine): string =>
  typeof line.pod === 'string' ? (line as LogLine).service : (line as CollectedLine).pod.service
