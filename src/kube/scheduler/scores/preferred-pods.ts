/** Prefers the neighbourhood of pods that this pod likes or that like it. */
import { memberOf } from '../../../kit/index.ts'
import type { NodeInfo } from '../node-info.ts'
import type { AffinityTerm, PodInfo } from '../pod-info.ts'
import { BEST, type Scorer } from '../scorer.ts'

/** What a required affinity of a pod already there is worth to a newcomer it matches. */
const REQUIRED_WEIGHT = 1

type Weights = Map<string, number>

const add = (weights: Weights, { node }: NodeInfo, key: string, weight: number): void => {
  const value = memberOf(node.metadata.labels, key)
  if (value !== undefined) weights.set(`${key}=${value}`, (weights.get(`${key}=${value}`) ?? 0) + weight)
}

const addOwn = (weights: Weights, info: PodInfo, nodes: readonly NodeInfo[]): void => {
  const weigh = (node: NodeInfo, other: PodInfo, terms: readonly AffinityTerm[], sign: number): void => {
    for (const term of terms)
      if (term.matches(other.pod)) add(weights, node, term.topologyKey, sign * term.weight)
  }
  if (info.preferredAffinity.length + info.preferredAntiAffinity.length === 0) return
  for (const node of nodes)
    for (const other of node.pods.values()) {
      weigh(node, other, info.preferredAffinity, 1)
      weigh(node, other, info.preferredAntiAffinity, -1)
    }
}

const addOthers = (weights: Weights, { pod }: PodInfo, nodes: readonly NodeInfo[]): void => {
  for (const node of nodes)
    for (const other of node.attached) {
      for (const term of other.affinity)
        if (term.matches(pod)) add(weights, node, term.topologyKey, REQUIRED_WEIGHT)
      for (const term of other.preferredAffinity)
        if (term.matches(pod)) add(weights, node, term.topologyKey, term.weight)
      for (const term of other.preferredAntiAffinity)
        if (term.matches(pod)) add(weights, node, term.topologyKey, -term.weight)
    }
}

export const preferredPods: Scorer = {
  weight: 2,
  score(info, nodes, cluster) {
    const weights: Weights = new Map()
    addOwn(weights, info, cluster.nodes)
    addOthers(weights, info, cluster.nodes)
    if (weights.size === 0) return undefined
    const raw = nodes.map(({ node }) =>
      Object.entries(node.metadata.labels ?? {}).reduce(
        (sum, [key, value]) => sum + (weights.get(`${key}=${value}`) ?? 0),
        0,
      ),
    )
    const [least, most] = [Math.min(...raw), Math.max(...raw)]
    return raw.map((value) => (most === least ? 0 : Math.floor((BEST * (value - least)) / (most - least))))
  },
}
