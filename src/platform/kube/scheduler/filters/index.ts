/** All filters, in the order in which they run; only the first refusal of a node is reported. */
import type { Filter } from '../filter.ts'
import { interPodAffinity } from './inter-pod-affinity.ts'
import { nodeAffinity } from './node-affinity.ts'
import { nodeName } from './node-name.ts'
import { nodePorts } from './node-ports.ts'
import { nodeResources } from './node-resources.ts'
import { nodeUnschedulable } from './node-unschedulable.ts'
import { taints } from './taints.ts'
import { topologySpread } from './topology-spread.ts'
import { volumes } from './volumes.ts'

export const filters: readonly Filter[] = [
  nodeUnschedulable,
  nodeName,
  taints,
  nodeAffinity,
  nodePorts,
  nodeResources,
  volumes,
  topologySpread,
  interPodAffinity,
]
