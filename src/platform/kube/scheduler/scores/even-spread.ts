/** Prefers nodes with few sibling pods, according to the pod's ScheduleAnyway constraints or the default ones. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { replicaSets, replicationControllers, services, statefulSets } from '#platform/kube/kinds'
import { controllerOf, hasLabels, type LabelMatcher, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Cluster } from '../filter.ts'
import type { NodeInfo } from '../node-info.ts'
import { MAX_SCORE, type Scorer } from '../scorer.ts'
import {
  countSelectedByValue,
  countSelectedOn,
  type Spread,
  spreadOf,
  topologyValue,
} from '../topology-spread.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const DEFAULT_CONSTRAINTS = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
]

const ownerSelector = ({ client }: Cluster, pod: Stored<Pod>): LabelMatcher | undefined => {
  const owner = controllerOf(pod)
  const namespace = pod.metadata.namespace!
  switch (owner?.kind) {
    case 'ReplicaSet':
      return toLabelMatcher(client.get(replicaSets, namespace, owner.name)?.spec.selector)
    case 'StatefulSet':
      return toLabelMatcher(client.get(statefulSets, namespace, owner.name)?.spec.selector)
    case 'ReplicationController': {
      const selector = client.get(replicationControllers, namespace, owner.name)?.spec.selector ?? {}
      return (labels) => hasLabels(labels, selector)
    }
    default:
      return undefined
  }
}

/** Selects the siblings of a pod: pods of the same owner and the same Services. */
const siblingMatcher = (cluster: Cluster, pod: Stored<Pod>): LabelMatcher | undefined => {
  const serviceLabels: Record<string, string> = {}
  for (const { spec } of cluster.client.list(services, pod.metadata.namespace))
    if (spec.selector !== undefined && Object.keys(spec.selector).length > 0)
      if (hasLabels(pod.metadata.labels, spec.selector)) Object.assign(serviceLabels, spec.selector)
  const matchesOwner = ownerSelector(cluster, pod)
  if (matchesOwner === undefined && Object.keys(serviceLabels).length === 0) return undefined
  return (labels) => hasLabels(labels, serviceLabels) && (matchesOwner === undefined || matchesOwner(labels))
}

const spreadsFor = (cluster: Cluster, pod: Stored<Pod>): { spreads: Spread[]; isDefault: boolean } => {
  const constraints = pod.spec.topologySpreadConstraints ?? []
  if (constraints.length > 0) {
    const soft = constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
    return { spreads: soft.map((constraint) => spreadOf(constraint, pod)), isDefault: false }
  }
  const selects = siblingMatcher(cluster, pod)
  if (selects === undefined) return { spreads: [], isDefault: true }
  const defaults = { minDomains: undefined, selects, honorsAffinity: true, honorsTaints: false }
  return {
    spreads: DEFAULT_CONSTRAINTS.map((constraint) => ({ ...constraint, ...defaults })),
    isDefault: true,
  }
}

interface PenaltyInput {
  spread: Spread
  keys: readonly string[]
  pod: Stored<Pod>
  nodes: readonly NodeInfo[]
  cluster: Cluster
}

/** Returns the penalty of each node for one constraint; it grows with the number of selected pods. */
const penaltiesOf = ({ spread, keys, pod, nodes, cluster }: PenaltyInput): number[] => {
  const byHost = spread.topologyKey === HOSTNAME
  const counts = byHost ? undefined : countSelectedByValue(spread, keys, pod, cluster.nodes)
  const domains = byHost ? nodes.length : (counts?.size ?? 0)
  const weight = Math.log(domains + 2)
  return nodes.map((node) => {
    const value = topologyValue(node, spread.topologyKey)
    if (value === undefined) return 0
    const count = byHost
      ? countSelectedOn(node, pod.metadata.namespace!, spread.selects)
      : (counts?.get(value) ?? 0)
    return count * weight + (spread.maxSkew - 1)
  })
}

export const evenSpread: Scorer = {
  weight: 2,
  score({ pod }, nodes, cluster) {
    const { spreads, isDefault } = spreadsFor(cluster, pod)
    if (spreads.length === 0) return undefined
    // The default constraints also apply to nodes without a zone.
    const keys = isDefault ? [] : spreads.map(({ topologyKey }) => topologyKey)
    const raw = nodes.map(() => 0)
    for (const spread of spreads) {
      const required = isDefault ? [spread.topologyKey] : keys
      const penalties = penaltiesOf({ spread, keys: required, pod, nodes, cluster })
      for (const [index, penalty] of penalties.entries()) raw[index]! += penalty
    }
    const rounded = raw.map(Math.round)
    const [min, max] = [Math.min(...rounded), Math.max(...rounded)]
    return rounded.map((value, index) => {
      const isIgnored = keys.some((key) => topologyValue(nodes[index]!, key) === undefined)
      if (isIgnored) return 0
      return max === 0 ? MAX_SCORE : Math.floor((MAX_SCORE * (max + min - value)) / max)
    })
  },
}
