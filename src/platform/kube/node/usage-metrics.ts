/** Usage of pods and nodes in the form of metrics.k8s.io, which `kubectl top` and the autoscaler read. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { type Stored, toTime } from '#platform/kube/meta'
import type { NodeDirectory, Usage } from '#platform/kube/ports'

interface UsageQuantities {
  cpu: string
  memory: string
}

/** The fields that the metrics of pods and nodes have in common. */
interface MetricsMeta {
  apiVersion: 'metrics.k8s.io/v1beta1'
  metadata: {
    name: string
    namespace?: string
    creationTimestamp: string
    labels?: Readonly<Record<string, string>>
  }
  timestamp: string
  window: string
}

export interface PodMetrics extends MetricsMeta {
  kind: 'PodMetrics'
  containers: { name: string; usage: UsageQuantities }[]
}

export interface NodeMetrics extends MetricsMeta {
  kind: 'NodeMetrics'
  usage: UsageQuantities
}

/** `cpu` is in cores, `memory` in bytes. */
const toQuantities = (cpu: number, memory: number): UsageQuantities => ({
  cpu: cpu === 0 ? '0' : `${Math.round(cpu * 1e9)}n`,
  memory: `${Math.ceil(memory / 1024)}Ki`,
})

const toMetricsMeta = (object: Stored<Pod> | Stored<Node>, windowMs: number, now: number): MetricsMeta => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  metadata: {
    name: object.metadata.name,
    ...defined({ namespace: object.metadata.namespace }),
    creationTimestamp: toTime(now),
    ...defined({ labels: object.metadata.labels }),
  },
  timestamp: toTime(now),
  window: `${windowMs / 1000}s`,
})

const usageOf = (directory: NodeDirectory, pod: Stored<Pod>): [string, Usage][] => {
  const runtime = directory.runtimeOf(pod.spec.nodeName ?? '')
  return runtime === undefined ? [] : Object.entries(runtime.usage(pod))
}

/** The usage of the pod's running containers; undefined if none is running. */
export const podMetrics = (
  directory: NodeDirectory,
  pod: Stored<Pod>,
  now: number,
): PodMetrics | undefined => {
  const used = usageOf(directory, pod)
  const [first] = used
  if (first === undefined) return undefined
  return {
    kind: 'PodMetrics',
    ...toMetricsMeta(pod, first[1].windowMs, now),
    containers: used.map(([name, { cpu, memory }]) => ({ name, usage: toQuantities(cpu, memory) })),
  }
}

/** The usage of a node, summed over `pods`, the pods bound to it. */
export const nodeMetrics = (
  directory: NodeDirectory,
  node: Stored<Node>,
  pods: readonly Stored<Pod>[],
  now: number,
): NodeMetrics => {
  const used = pods.flatMap((pod) => usageOf(directory, pod).map(([, usage]) => usage))
  const sum = (key: 'cpu' | 'memory'): number => used.reduce((total, usage) => total + usage[key], 0)
  return {
    kind: 'NodeMetrics',
    ...toMetricsMeta(node, used[0]?.windowMs ?? 15_000, now),
    usage: toQuantities(sum('cpu'), sum('memory')),
  }
}
