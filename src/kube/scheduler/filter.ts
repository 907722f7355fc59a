/** What every filter of the scheduler is: a reason why a pod cannot go to a node. */
import type { Client } from '../ports/index.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

/** The cluster as one decision sees it. */
export interface Cluster {
  nodes: readonly NodeInfo[]
  client: Client
}

export interface Refusal {
  reasons: readonly string[]
  /** Whether the removal of other pods could help. */
  resolvable: boolean
}

/** A reason that holds whatever the node. */
export class PodRefusal extends Error {}

/** What happens in the cluster that may let a refused pod fit after all. */
export type ClusterChange = 'node' | 'pod-removed' | 'pod-assigned' | 'volume'

export type NodeCheck = (node: NodeInfo) => Refusal | undefined

export interface Filter {
  name: string
  wakesOn: readonly ClusterChange[]
  /** Works out what does not depend on the node; nothing where the pod asks for nothing of the kind. */
  prepare(pod: PodInfo, cluster: Cluster): NodeCheck | undefined
}

/** A refusal that only a change of the pod or the node can lift. */
export const unresolvable = (reason: string): Refusal => ({ reasons: [reason], resolvable: false })
export const resolvable = (...reasons: string[]): Refusal => ({ reasons, resolvable: true })
