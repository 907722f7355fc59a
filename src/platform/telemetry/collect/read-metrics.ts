/** The port through which the metrics of pods are read. */
import type { PodState } from './pod-index.ts'

export interface MetricsEndpoint {
  readonly port: number
  readonly path: string
}

/**
 * The metrics of a pod in the text format of Prometheus. A function returns the text as it was at the time of the scrape; it can be
 * called later, more than once, or never.
 */
export type MetricsText = string | (() => string)

/** Throws or rejects, within seconds, if the pod does not answer. */
export type ReadMetrics = (pod: PodState, endpoint: MetricsEndpoint) => MetricsText | Promise<MetricsText>
