/** The contract of the scheduler's filters, which decide whether a pod can run on a node. */
import type { Client } from '#platform/kube/ports'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

/** The state of the cluster during one decision. */
export interface Cluster {
  nodes: readonly NodeInfo[]
  client: Client
}

export interface Refusal {
  reasons: readonly string[]
  /** Whether preemption of other pods could help. */
  resolvable: boolean
}

/** Thrown by a filter that refuses the pod for a reason that applies to all nodes. */
export class PodRefusal extends Error {}

/** Changes of the cluster after which a refused pod might fit. */
export type ClusterChange = 'node' | 'pod-removed' | 'pod-assigned' | 'volume'

export type NodeCheck = (node: NodeInfo) => Refusal | undefined

export interface Filter {
  name: string
  retriesOn: readonly ClusterChange[]
  /** Computes the node-independent part; returns undefined if the filter does not apply to the pod. */
  prepare(pod: PodInfo, cluster: Cluster): NodeCheck | undefined
}

/** A refusal that preemption cannot resolve. */
export const unresolvable = (reason: string): Refusal => ({ reasons: [reason], resolvable: false })
export const resolvable = (...reasons: string[]): Refusal => ({ reasons, resolvable: true })
