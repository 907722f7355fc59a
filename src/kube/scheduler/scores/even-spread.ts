/** Prefers nodes where few pods of the same kind are: the pod's own soft constraints, or the usual ones. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { replicaSets, replicationControllers, services, statefulSets } from '../../kinds/index.ts'
import { controllerOf, hasLabels, type LabelMatcher, matcherOf, type Stored } from '../../meta/index.ts'
import type { Cluster } from '../filter.ts'
import type { NodeInfo } from '../node-info.ts'
import { BEST, type Scorer } from '../scorer.ts'
import { type Spread, selectedByValue, selectedOn, spreadOf, topologyValue } from '../topology-spread.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const USUAL = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
]

const ownerSelector = ({ client }: Cluster, pod: Stored<Pod>): LabelMatcher | undefined => {
  const owner = controllerOf(pod)
  const namespace = pod.metadata.namespace!
  switch (owner?.kind) {
    case 'ReplicaSet':
      return matcherOf(client.get(replicaSets, namespace, owner.name)?.spec.selector)
    case 'StatefulSet':
      return matcherOf(client.get(statefulSets, namespace, owner.name)?.spec.selector)
    case 'ReplicationController': {
      const selector = client.get(replicationControllers, namespace, owner.name)?.spec.selector ?? {}
      return (labels) => hasLabels(labels, selector)
    }
    default:
      return undefined
  }
}

/** Selects the pods that serve beside this one: the same owner's, and those of its Services. */
const siblings = (cluster: Cluster, pod: Stored<Pod>): LabelMatcher | undefined => {
  const wanted: Record<string, string> = {}
  for (const { spec } of cluster.client.list(services, pod.metadata.namespace))
    if (spec.selector !== undefined && Object.keys(spec.selector).length > 0)
      if (hasLabels(pod.metadata.labels, spec.selector)) Object.assign(wanted, spec.selector)
  const owned = ownerSelector(cluster, pod)
  if (owned === undefined && Object.keys(wanted).length === 0) return undefined
  return (labels) => hasLabels(labels, wanted) && (owned === undefined || owned(labels))
}

const spreadsFor = (cluster: Cluster, pod: Stored<Pod>): { spreads: Spread[]; usual: boolean } => {
  const constraints = pod.spec.topologySpreadConstraints ?? []
  if (constraints.length > 0) {
    const soft = constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
    return { spreads: soft.map((constraint) => spreadOf(constraint, pod)), usual: false }
  }
  const selects = siblings(cluster, pod)
  if (selects === undefined) return { spreads: [], usual: true }
  const rest = { minDomains: undefined, selects, honorsAffinity: true, honorsTaints: false }
  return { spreads: USUAL.map((usual) => ({ ...usual, ...rest })), usual: true }
}

/** Points against a node for one constraint: the more of the kind it has, the worse. */
const burdens = (
  spread: Spread,
  keys: readonly string[],
  pod: Stored<Pod>,
  nodes: readonly NodeInfo[],
  cluster: Cluster,
): number[] => {
  const byHost = spread.topologyKey === HOSTNAME
  const found = byHost ? undefined : selectedByValue(spread, keys, pod, cluster.nodes)
  const parts = byHost ? nodes.length : (found?.size ?? 0)
  const weight = Math.log(parts + 2)
  return nodes.map((node) => {
    const value = topologyValue(node, spread.topologyKey)
    if (value === undefined) return 0
    const count = byHost
      ? selectedOn(node, pod.metadata.namespace!, spread.selects)
      : (found?.get(value) ?? 0)
    return count * weight + (spread.maxSkew - 1)
  })
}

export const evenSpread: Scorer = {
  weight: 2,
  score({ pod }, nodes, cluster) {
    const { spreads, usual } = spreadsFor(cluster, pod)
    if (spreads.length === 0) return undefined
    // The usual constraints count for nodes without zones too.
    const keys = usual ? [] : spreads.map(({ topologyKey }) => topologyKey)
    const raw = nodes.map(() => 0)
    for (const spread of spreads) {
      const known = usual ? [spread.topologyKey] : keys
      for (const [index, burden] of burdens(spread, known, pod, nodes, cluster).entries())
        raw[index]! += burden
    }
    const rounded = raw.map(Math.round)
    const [least, most] = [Math.min(...rounded), Math.max(...rounded)]
    return rounded.map((value, index) => {
      const ignored = keys.some((key) => topologyValue(nodes[index]!, key) === undefined)
      if (ignored) return 0
      return most === 0 ? BEST : Math.floor((BEST * (most + least - value)) / most)
    })
  },
}
