/** Reads the resource usage of the pods of a namespace, for autoscalers. */
import type { MetricsSource } from '#platform/kube/controllers'
import { pods } from '#platform/kube/kinds'
import type { Client, NodeDirectory } from '#platform/kube/ports'

export const createPodUsage =
  (client: Client, nodes: NodeDirectory): MetricsSource =>
  (namespace) =>
    client.list(pods, namespace).flatMap((pod) => {
      const usages = Object.entries(nodes.runtimeOf(pod.spec.nodeName ?? '')?.usage(pod) ?? {})
      const [first] = usages
      if (first === undefined) return []
      const containers = usages.map(([name, { cpu, memory }]) => ({ name, cpu, memory }))
      return [{ pod: pod.metadata.name, windowMs: first[1].windowMs, containers }]
    })
