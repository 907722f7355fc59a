/** Usage of pods and nodes in the form of metrics.k8s.io, which `kubectl top` and the autoscaler read. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { type Stored, toTime } from '#platform/kube/meta'
import type { NodeDirectory, Usage } from '#platform/kube/ports'

interface Amounts {
  cpu: string
  memory: string
}

interface Metered {
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

export interface PodMetrics extends Metered {
  kind: 'PodMetrics'
  containers: { name: string; usage: Amounts }[]
}

export interface NodeMetrics extends Metered {
  kind: 'NodeMetrics'
  usage: Amounts
}

const amounts = (cpu: number, memory: number): Amounts => ({
  cpu: cpu === 0 ? '0' : `${Math.round(cpu * 1e9)}n`,
  memory: `${Math.ceil(memory / 1024)}Ki`,
})

const toMetered = (object: Stored<Pod> | Stored<Node>, windowMs: number, now: number): Metered => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  metadata: {
    name: object.metadata.name,
    ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
    creationTimestamp: toTime(now),
    ...(object.metadata.labels === undefined ? {} : { labels: object.metadata.labels }),
  },
  timestamp: toTime(now),
  window: `${windowMs / 1000}s`,
})

const usageOf = (directory: NodeDirectory, pod: Stored<Pod>): [string, Usage][] => {
  const runtime = directory.runtimeOf(pod.spec.nodeName ?? '')
  return runtime === undefined ? [] : Object.entries(runtime.usage(pod))
}

/** Usage of the pod's running containers; undefined if none runs. */
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
    ...toMetered(pod, first[1].windowMs, now),
    containers: used.map(([name, { cpu, memory }]) => ({ name, usage: amounts(cpu, memory) })),
  }
}

/** Usage of a node: the sum of its pods' (`pods` are those bound to it). */
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
    ...toMetered(node, used[0]?.windowMs ?? 15_000, now),
    usage: amounts(sum('cpu'), sum('memory')),
  }
}
