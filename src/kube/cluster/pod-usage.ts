/** What the pods of a namespace use, as autoscalers read it. */
import type { MetricsSource } from '../controllers/index.ts'
import { pods } from '../kinds/index.ts'
import type { Client, NodeDirectory } from '../ports/index.ts'

export const createPodUsage =
  (client: Client, nodes: NodeDirectory): MetricsSource =>
  (namespace) =>
    client.list(pods, namespace).flatMap((pod) => {
      const used = Object.entries(nodes.runtimeOf(pod.spec.nodeName ?? '')?.usage(pod) ?? {})
      const [first] = used
      if (first === undefined) return []
      const containers = used.map(([name, { cpu, memory }]) => ({ name, cpu, memory }))
      return [{ pod: pod.metadata.name, windowMs: first[1].windowMs, containers }]
    })
