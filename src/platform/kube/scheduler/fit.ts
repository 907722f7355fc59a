/** Finds the nodes that a pod fits on, and the reasons why it does not fit on the others. */
import { type Cluster, type Filter, type NodeCheck, PodRefusal, type Refusal } from './filter.ts'
import { filters } from './filters/index.ts'
import { createNodeInfo, type NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export interface Fit {
  feasible: NodeInfo[]
  /** By node name; empty if `podRefusal` is set. */
  refusals: Map<string, Refusal>
  /** The reason that applies to all nodes. */
  podRefusal: string | undefined
  /** The filters that refused the pod or a node for it. */
  refusedBy: Set<Filter>
}

type Prepared = { filter: Filter; check: NodeCheck }[]

/** Throws FilteredOut if a filter refuses the pod for all nodes. */
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

/** Returns the cluster with one node replaced. */
export const withNode = (cluster: Cluster, node: NodeInfo): Cluster => ({
  ...cluster,
  nodes: cluster.nodes.map((candidate) => (candidate.name === node.name ? node : candidate)),
})

/** Returns why the pod would not fit on a node in this simulated state. */
export const refusalOn = (pod: PodInfo, node: NodeInfo, cluster: Cluster): Refusal | undefined =>
  firstRefusal(prepareAll(pod, withNode(cluster, node)), node)?.refusal

/** `nominated` returns the pods that preemption has nominated to a node. */
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
    const pending = nominated(node.name)
    const withNominated =
      pending.length === 0 ? undefined : createNodeInfo(node.node, [...node.pods.values(), ...pending])
    const refused =
      (withNominated === undefined
        ? undefined
        : firstRefusal(prepareAll(pod, withNode(cluster, withNominated)), withNominated)) ??
      firstRefusal(prepared, node)
    if (refused === undefined) {
      fit.feasible.push(node)
      continue
    }
    fit.refusals.set(node.name, refused.refusal)
    fit.refusedBy.add(refused.filter)
  }
  return fit
}
