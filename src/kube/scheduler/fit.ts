/** Which nodes a pod fits on, and why not on the others. */
import { type Cluster, type Filter, type NodeCheck, PodRefusal, type Refusal } from './filter.ts'
import { filters } from './filters/index.ts'
import { type NodeInfo, nodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export interface Fit {
  feasible: NodeInfo[]
  /** By node name; empty where the pod was refused as such. */
  refusals: Map<string, Refusal>
  /** Why no node can help. */
  podRefusal: string | undefined
  /** The filters that refused. */
  refusedBy: Set<Filter>
}

type Prepared = { filter: Filter; check: NodeCheck }[]

/** Throws FilteredOut where a filter refuses the pod whatever the node. */
const prepareAll = (pod: PodInfo, cluster: Cluster): Prepared =>
  filters.flatMap((filter) => {
    try {
      const check = filter.prepare(pod, cluster)
      return check === undefined ? [] : [{ filter, check }]
    } catch (error) {
      if (error instanceof PodRefusal) throw new FilteredOut(filter, error.message)
      throw error
    }
  })

class FilteredOut extends Error {
  readonly filter: Filter

  constructor(filter: Filter, message: string) {
    super(message)
    this.filter = filter
  }
}

const firstRefusal = (
  prepared: Prepared,
  node: NodeInfo,
): { filter: Filter; refusal: Refusal } | undefined => {
  for (const { filter, check } of prepared) {
    const refusal = check(node)
    if (refusal !== undefined) return { filter, refusal }
  }
  return undefined
}

/** The cluster with one node in another state. */
export const withNode = (cluster: Cluster, node: NodeInfo): Cluster => ({
  ...cluster,
  nodes: cluster.nodes.map((one) => (one.name === node.name ? node : one)),
})

/** Why the pod would not fit on a node in this imagined state. */
export const refusalOn = (pod: PodInfo, node: NodeInfo, cluster: Cluster): Refusal | undefined =>
  firstRefusal(prepareAll(pod, withNode(cluster, node)), node)?.refusal

/** `nominated` are pods that were promised room on a node by preemption. */
export const findFit = (
  pod: PodInfo,
  cluster: Cluster,
  nominated: (nodeName: string) => readonly PodInfo[],
): Fit => {
  const fit: Fit = { feasible: [], refusals: new Map(), podRefusal: undefined, refusedBy: new Set() }
  let prepared: Prepared
  try {
    prepared = prepareAll(pod, cluster)
  } catch (error) {
    if (!(error instanceof FilteredOut)) throw error
    return { ...fit, podRefusal: error.message, refusedBy: new Set([error.filter]) }
  }
  for (const node of cluster.nodes) {
    const promised = nominated(node.name)
    const crowded =
      promised.length === 0 ? undefined : nodeInfo(node.node, [...node.pods.values(), ...promised])
    const refused =
      (crowded === undefined
        ? undefined
        : firstRefusal(prepareAll(pod, withNode(cluster, crowded)), crowded)) ?? firstRefusal(prepared, node)
    if (refused === undefined) {
      fit.feasible.push(node)
      continue
    }
    fit.refusals.set(node.name, refused.refusal)
    fit.refusedBy.add(refused.filter)
  }
  return fit
}
