/** The port through which spans of pods arrive. */
import type { Clock } from '#kit'
import type { Span } from '#spec'
import type { PodState } from './pod-index.ts'

export interface SpanReceiver {
  readonly clock: Clock
  onSpans(spans: readonly Span[]): void
  onError(error: Error): void
}

export interface SpanSource {
  /** Accepts spans of a new pod, or stores the new state of a known one. */
  update(pod: PodState): void
  /** Ends the acceptance of spans of a deleted pod. */
  remove(pod: PodState): void
  /** Number of invalid batches and spans. */
  rejected(): number
  close(): Promise<void>
}

/** Passes the spans of pods to the receiver until the source is closed. */
export type OpenSpanSource = (receiver: SpanReceiver) => SpanSource
