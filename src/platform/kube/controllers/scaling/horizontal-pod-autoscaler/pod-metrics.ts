/** Reads the resource usage of a target's pods and groups the pods by whether their metrics count. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { podCondition } from '#platform/kube/kinds'
import { fromTime, milliValue, type Stored } from '#platform/kube/meta'

/** The current resource usage of one pod. */
export interface PodUsage {
  pod: string
  /** The averaging window; 15 seconds by default. */
  windowMs?: number
  /** CPU in cores, memory in bytes. */
  containers: readonly { name: string; cpu: number; memory: number }[]
}

/** Returns the usage of all measured pods of a namespace. */
export type MetricsSource = (namespace: string) => readonly PodUsage[]

export interface Metric {
  /** Millicores or thousandths of a byte. */
  value: number
  windowMs: number
}

export type Metrics = Map<string, Metric>

/** A resource of one container, or of all if `container` is undefined. */
export interface MeasuredResource {
  resource: string
  container: string | undefined
}

const WINDOW_MS = 15_000
const INITIALIZATION_MS = 300_000
const READINESS_DELAY_MS = 30_000

const amountOf = (usage: { cpu: number; memory: number }, resource: string): number | undefined => {
  // Usage in cores is a floating-point number; rounds to nanocores first.
  if (resource === 'cpu') return Math.ceil(Math.round(usage.cpu * 1e9) / 1e6)
  return resource === 'memory' ? Math.round(usage.memory) * 1000 : undefined
}

/** Returns the metrics of the named pods. Throws the errors of the real metrics client. */
export const readMetrics = (
  source: MetricsSource | undefined,
  namespace: string,
  names: ReadonlySet<string>,
  { resource, container }: MeasuredResource,
): Metrics => {
  if (source === undefined)
    throw new Error(
      'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
    )
  const usages = source(namespace).filter(({ pod }) => names.has(pod))
  if (usages.length === 0) throw new Error('no metrics returned from resource metrics API')
  const metrics: Metrics = new Map()
  for (const { pod, windowMs = WINDOW_MS, containers } of usages) {
    const counted = containers.filter(({ name }) => container === undefined || name === container)
    if (container !== undefined && counted.length === 0)
      throw new Error(`container ${container} not present in metrics for pod ${namespace}/${pod}`)
    const amounts = counted.map((usage) => amountOf(usage, resource))
    if (amounts.length === 0 || amounts.includes(undefined)) continue
    metrics.set(pod, { value: amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0), windowMs })
  }
  return metrics
}

/** Returns the request of each pod. Throws if a measured container has no request. */
export const requestsOf = (
  pods: readonly Stored<Pod>[],
  { resource, container }: MeasuredResource,
): Map<string, number> => {
  const requestOf = ({ name, resources }: Container, pod: Stored<Pod>): number => {
    const requested = resources?.requests?.[resource]
    if (requested === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`)
    return milliValue(requested)
  }
  return new Map(
    pods.map((pod) => {
      const sidecars = (pod.spec.initContainers ?? []).filter(
        (container) => container.restartPolicy === 'Always',
      )
      const counted = [...pod.spec.containers, ...sidecars].filter(
        ({ name }) => container === undefined || name === container,
      )
      return [pod.metadata.name, counted.reduce((sum, container) => sum + requestOf(container, pod), 0)]
    }),
  )
}

/** Whether to ignore the CPU metrics of a pod, because it is starting or was never ready. */
const isUnready = (pod: Stored<Pod>, { windowMs }: Metric, now: number): boolean => {
  const ready = podCondition(pod, 'Ready')
  const { startTime } = pod.status
  if (ready === undefined || startTime === undefined || startTime === null) return true
  const since = ready.lastTransitionTime === undefined ? 0 : fromTime(ready.lastTransitionTime as string)
  const started = fromTime(startTime)
  if (started + INITIALIZATION_MS > now) return ready.status === 'False' || now < since + windowMs
  return ready.status === 'False' && started + READINESS_DELAY_MS > since
}

export interface PodGroups {
  ready: number
  unready: string[]
  missing: string[]
  ignored: string[]
}

export const groupPods = (
  pods: readonly Stored<Pod>[],
  metrics: Metrics,
  resource: string,
  now: number,
): PodGroups => {
  const groups: PodGroups = { ready: 0, unready: [], missing: [], ignored: [] }
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata
    const metric = metrics.get(name)
    if (deletionTimestamp !== undefined || pod.status.phase === 'Failed') groups.ignored.push(name)
    else if (pod.status.phase === 'Pending') groups.unready.push(name)
    else if (metric === undefined) groups.missing.push(name)
    else if (resource === 'cpu' && isUnready(pod, metric, now)) groups.unready.push(name)
    else groups.ready += 1
  }
  return groups
}
