/** What the pods of a target use, and which of those figures may be trusted. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { podCondition } from '../../kinds/index.ts'
import { fromTime, milliValue, type Stored } from '../../meta/index.ts'

/** What one pod uses just now. */
export interface PodUsage {
  pod: string
  /** Over how long the figures are averaged; 15 seconds where absent. */
  windowMs?: number
  /** Cores, and bytes. */
  containers: readonly { name: string; cpu: number; memory: number }[]
}

/** Where usage comes from: all pods of a namespace that are measured. */
export type MetricsSource = (namespace: string) => readonly PodUsage[]

export interface Metric {
  /** Thousandths of a core or of a byte. */
  value: number
  windowMs: number
}

export type Metrics = Map<string, Metric>

/** Which resource of which container, or of all. */
export interface Measured {
  resource: string
  container: string | undefined
}

const WINDOW_MS = 15_000
const INITIALIZATION_MS = 300_000
const READINESS_DELAY_MS = 30_000

const amountOf = (usage: { cpu: number; memory: number }, resource: string): number | undefined => {
  // Measured cores come as floating numbers: a billionth is the finest step that means anything.
  if (resource === 'cpu') return Math.ceil(Math.round(usage.cpu * 1e9) / 1e6)
  return resource === 'memory' ? Math.round(usage.memory) * 1000 : undefined
}

/** The figures of the named pods. Throws in the words of the metrics client. */
export const readMetrics = (
  source: MetricsSource | undefined,
  namespace: string,
  names: ReadonlySet<string>,
  { resource, container }: Measured,
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

/** What each pod asks for. Throws where a container that counts does not say. */
export const requestsOf = (
  pods: readonly Stored<Pod>[],
  { resource, container }: Measured,
): Map<string, number> => {
  const request = ({ name, resources }: Container, pod: Stored<Pod>): number => {
    const asked = resources?.requests?.[resource]
    if (asked === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`)
    return milliValue(asked)
  }
  return new Map(
    pods.map((pod) => {
      const sidecars = (pod.spec.initContainers ?? []).filter((one) => one.restartPolicy === 'Always')
      const counted = [...pod.spec.containers, ...sidecars].filter(
        ({ name }) => container === undefined || name === container,
      )
      return [pod.metadata.name, counted.reduce((sum, one) => sum + request(one, pod), 0)]
    }),
  )
}

/** Figures of a pod that starts, or was never ready, say nothing about the load. */
const isUnready = (pod: Stored<Pod>, { windowMs }: Metric, now: number): boolean => {
  const ready = podCondition(pod, 'Ready')
  const { startTime } = pod.status
  if (ready === undefined || startTime === undefined || startTime === null) return true
  const since = ready.lastTransitionTime === undefined ? 0 : fromTime(ready.lastTransitionTime as string)
  const started = fromTime(startTime)
  if (started + INITIALIZATION_MS > now) return ready.status === 'False' || now < since + windowMs
  return ready.status === 'False' && started + READINESS_DELAY_MS > since
}

export interface Groups {
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
): Groups => {
  const groups: Groups = { ready: 0, unready: [], missing: [], ignored: [] }
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
