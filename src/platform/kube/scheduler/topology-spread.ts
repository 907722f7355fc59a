/** Counts the pods that a topology spread constraint selects in each topology domain. */
import type { Pod, TopologySpreadConstraint } from 'kubernetes-types/core/v1.d.ts'
import { memberOf } from '#kit'
import { selectsNode, tolerates } from '#platform/kube/kinds'
import { type LabelMatcher, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { NodeInfo } from './node-info.ts'

export interface Spread {
  topologyKey: string
  maxSkew: number
  minDomains: number | undefined
  selects: LabelMatcher
  /** Whether the count leaves out nodes that the pod's node affinity excludes. */
  honorsAffinity: boolean
  /** Whether the count leaves out nodes with taints that the pod does not tolerate. */
  honorsTaints: boolean
}

export const spreadOf = (constraint: TopologySpreadConstraint, pod: Stored<Pod>): Spread => {
  const selects = toLabelMatcher(constraint.labelSelector)
  const keys = (constraint.matchLabelKeys ?? []).filter(
    (key) => memberOf(pod.metadata.labels, key) !== undefined,
  )
  return {
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains,
    selects: (labels) =>
      selects(labels) && keys.every((key) => memberOf(labels, key) === memberOf(pod.metadata.labels, key)),
    honorsAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
    honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
  }
}

export const topologyValue = ({ node }: NodeInfo, key: string): string | undefined =>
  memberOf(node.metadata.labels, key)

const isCounted = ({ honorsAffinity, honorsTaints }: Spread, pod: Stored<Pod>, { node }: NodeInfo): boolean =>
  (!honorsAffinity || selectsNode(pod.spec, node)) &&
  (!honorsTaints ||
    (node.spec.taints ?? []).every(
      (taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod.spec.tolerations, taint),
    ))

/** Counts the selected pods on a node, without terminating ones. */
export const countSelectedOn = (node: NodeInfo, namespace: string, selects: LabelMatcher): number => {
  let count = 0
  for (const { pod } of node.pods.values())
    if (
      pod.metadata.namespace === namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      selects(pod.metadata.labels)
    )
      count += 1
  return count
}

/** Counts the selected pods per value of the topology key, over the nodes that have all `keys`. */
export const countSelectedByValue = (
  spread: Spread,
  keys: readonly string[],
  pod: Stored<Pod>,
  nodes: readonly NodeInfo[],
): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const node of nodes) {
    if (keys.some((key) => topologyValue(node, key) === undefined) || !isCounted(spread, pod, node)) continue
    const value = topologyValue(node, spread.topologyKey)!
    const count = countSelectedOn(node, pod.metadata.namespace!, spread.selects)
    counts.set(value, (counts.get(value) ?? 0) + count)
  }
  return counts
}
