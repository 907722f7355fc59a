/** How evenly the pods that a spread constraint selects lie over the parts of the cluster. */
import type { Pod, TopologySpreadConstraint } from 'kubernetes-types/core/v1.d.ts'
import { memberOf } from '../../kit/index.ts'
import { choosesNode, tolerates } from '../kinds/index.ts'
import { type LabelMatcher, matcherOf, type Stored } from '../meta/index.ts'
import type { NodeInfo } from './node-info.ts'

export interface Spread {
  topologyKey: string
  maxSkew: number
  minDomains: number | undefined
  selects: LabelMatcher
  /** Whether the nodes that the pod cannot choose, or not tolerate, count as parts of the cluster. */
  honorsAffinity: boolean
  honorsTaints: boolean
}

export const spreadOf = (constraint: TopologySpreadConstraint, pod: Stored<Pod>): Spread => {
  const selects = matcherOf(constraint.labelSelector)
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

const counts = ({ honorsAffinity, honorsTaints }: Spread, pod: Stored<Pod>, { node }: NodeInfo): boolean =>
  (!honorsAffinity || choosesNode(pod.spec, node)) &&
  (!honorsTaints ||
    (node.spec.taints ?? []).every(
      (taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod.spec.tolerations, taint),
    ))

/** Selected pods on a node, those about to go left out. */
export const selectedOn = (node: NodeInfo, namespace: string, selects: LabelMatcher): number => {
  let found = 0
  for (const { pod } of node.pods.values())
    if (
      pod.metadata.namespace === namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      selects(pod.metadata.labels)
    )
      found += 1
  return found
}

/** Selected pods by value of the topology key, over the nodes that have all `keys`. */
export const selectedByValue = (
  spread: Spread,
  keys: readonly string[],
  pod: Stored<Pod>,
  nodes: readonly NodeInfo[],
): Map<string, number> => {
  const found = new Map<string, number>()
  for (const node of nodes) {
    if (keys.some((key) => topologyValue(node, key) === undefined) || !counts(spread, pod, node)) continue
    const value = topologyValue(node, spread.topologyKey)!
    const here = selectedOn(node, pod.metadata.namespace!, spread.selects)
    found.set(value, (found.get(value) ?? 0) + here)
  }
  return found
}
