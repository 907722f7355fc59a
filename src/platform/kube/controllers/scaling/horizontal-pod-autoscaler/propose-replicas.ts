/** Computes, from the usage of the pods, the replica count that a resource metric requires. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import {
  groupPods,
  type MeasuredResource,
  type Metrics,
  type MetricsSource,
  readMetrics,
  requestsOf,
} from './pod-metrics.ts'

/** Deviations from the target up to this share cause no scaling. */
const TOLERANCE = 0.1

export interface MetricQuery {
  source: MetricsSource | undefined
  namespace: string
  pods: readonly Stored<Pod>[]
  replicas: number
  measured: MeasuredResource
  now: number
}

export interface Proposal {
  replicas: number
  /** Percentage of the requests; undefined if the target is an average value. */
  utilization?: number
  /** Average usage per pod, in thousandths of the unit. */
  average: number
}

interface Reading {
  ratio: number
  utilization?: number
  average: number
}

interface Target {
  read(metrics: Metrics): Reading
  /** The usage assumed for a pod without metrics when the others suggest scaling down. */
  assumedUsage(pod: string): number
}

const total = (metrics: Metrics): number => [...metrics.values()].reduce((sum, { value }) => sum + value, 0)
const isClose = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE

/** A target in percent of the requests. */
const utilizationTarget = (requests: ReadonlyMap<string, number>, percent: number): Target => ({
  read(metrics) {
    const known = new Map([...metrics].filter(([pod]) => requests.has(pod)))
    const requested = [...known.keys()].reduce((sum, pod) => sum + (requests.get(pod) ?? 0), 0)
    if (requested === 0) throw new Error('no metrics returned matched known pods')
    const utilization = Math.trunc((total(known) * 100) / requested)
    return { ratio: utilization / percent, utilization, average: Math.trunc(total(known) / known.size) }
  },
  assumedUsage: (pod) => ((requests.get(pod) ?? 0) * Math.max(100, percent)) / 100,
})

/** A target of an average value per pod, in thousandths. */
const averageTarget = (amount: number): Target => ({
  read(metrics) {
    const average = Math.trunc(total(metrics) / metrics.size)
    return { ratio: average / amount, average }
  },
  assumedUsage: () => amount,
})

/** Pods without metrics are assumed to use an amount that dampens the change. */
const propose = (query: MetricQuery, target: (metrics: Metrics) => Target, metrics: Metrics): Proposal => {
  const { pods, replicas: current, measured, now } = query
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, measured.resource, now)
  for (const pod of [...ignored, ...unready]) metrics.delete(pod)
  if (metrics.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const { read, assumedUsage } = target(metrics)
  const { ratio, ...rest } = read(metrics)
  const growsWithUnready = unready.length > 0 && ratio > 1
  if (!growsWithUnready && missing.length === 0)
    return { replicas: isClose(ratio) ? current : Math.ceil(ratio * ready), ...rest }

  const assume = (pod: string, value: number): unknown => metrics.set(pod, { value, windowMs: 0 })
  for (const pod of missing) if (ratio !== 1) assume(pod, ratio < 1 ? assumedUsage(pod) : 0)
  if (growsWithUnready) for (const pod of unready) assume(pod, 0)
  const { ratio: dampened } = read(metrics)
  if (isClose(dampened) || (ratio < 1 && dampened > 1) || (ratio > 1 && dampened < 1))
    return { replicas: current, ...rest }
  const proposed = Math.ceil(dampened * metrics.size)
  const isBackwards = (dampened < 1 && proposed > current) || (dampened > 1 && proposed < current)
  return { replicas: isBackwards ? current : proposed, ...rest }
}

const measure = ({ source, namespace, pods, measured }: MetricQuery): Metrics => {
  const names = new Set(pods.map(({ metadata }) => metadata.name))
  try {
    return readMetrics(source, namespace, names, measured)
  } catch (error) {
    throw new Error(`unable to get metrics for resource ${measured.resource}: ${(error as Error).message}`)
  }
}

const measurePods = (query: MetricQuery): Metrics => {
  const metrics = measure(query)
  if (query.pods.length === 0) throw new Error('no pods returned by selector while calculating replica count')
  return metrics
}

/** Proposes the replica count for a target of `percent` of the requests. */
export const proposeForUtilization = (query: MetricQuery, percent: number): Proposal =>
  propose(query, () => utilizationTarget(requestsOf(query.pods, query.measured), percent), measurePods(query))

/** Proposes the replica count for a target of `amount` per pod, in thousandths. */
export const proposeForAverage = (query: MetricQuery, amount: number): Proposal =>
  propose(query, () => averageTarget(amount), measurePods(query))
