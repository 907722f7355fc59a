/**
 * A sink for signals as they are collected. A store that keeps them in this form converts them when it is queried, because an
 * attempt on a simulated cluster queries few of them.
 */
import type { MetricSample, PodReading, TelemetrySink } from '#spec'
import type { PodState } from './pod-index.ts'
import type { MetricsText } from './read-metrics.ts'

/** The states and the usage of all pods at one time. */
export interface UsageBatch {
  readonly type: 'usage'
  readonly time: number
  readonly pods: readonly PodState[]
  /** In the order of `pods`; undefined for a pod without containers. */
  readonly readings: readonly (PodReading | undefined)[]
}

/** The metrics of one pod at one time. */
export interface ScrapeBatch {
  readonly type: 'scrape'
  readonly time: number
  readonly pod: PodState
  /** Whether no value of the pod has been reported before. */
  readonly isFirst: boolean
  /** Absent if the pod did not answer. */
  readonly text?: MetricsText
}

/** Samples that need no conversion. */
export interface PlainBatch {
  readonly type: 'plain'
  readonly samples: readonly MetricSample[]
}

export type SampleBatch = UsageBatch | ScrapeBatch | PlainBatch

export interface CollectedLine {
  readonly time: number
  readonly pod: PodState
  readonly container: string
  readonly text: string
}

/** Batches must not be changed after they were passed. */
export interface CollectedSink extends TelemetrySink {
  samples(batch: SampleBatch): void
  lines(batch: readonly CollectedLine[]): void
}
