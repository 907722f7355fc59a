/** Scores nodes by preferred affinity and anti-affinity between pods, in both directions. */
import { memberOf } from '#kit'
import type { NodeInfo } from '../node-info.ts'
import type { AffinityTerm, PodInfo } from '../pod-info.ts'
import { MAX_SCORE, type Scorer } from '../scorer.ts'

/** The weight of an existing pod's required affinity that matches the new pod. */
const REQUIRED_WEIGHT = 1

type Weights = Map<string, number>

const addWeight = (weights: Weights, { node }: NodeInfo, key: string, weight: number): void => {
  const value = memberOf(node.metadata.labels, key)
  if (value !== undefined) weights.set(`${key}=${value}`, (weights.get(`${key}=${value}`) ?? 0) + weight)
}

const addOwnPreferences = (weights: Weights, info: PodInfo, nodes: readonly NodeInfo[]): void => {
  const addMatchingTerms = (
    node: NodeInfo,
    existing: PodInfo,
    terms: readonly AffinityTerm[],
    sign: number,
  ): void => {
    for (const term of terms)
      if (term.matches(existing.pod)) addWeight(weights, node, term.topologyKey, sign * term.weight)
  }
  if (info.preferredAffinity.length + info.preferredAntiAffinity.length === 0) return
  for (const node of nodes)
    for (const existing of node.pods.values()) {
      addMatchingTerms(node, existing, info.preferredAffinity, 1)
      addMatchingTerms(node, existing, info.preferredAntiAffinity, -1)
    }
}

const addExistingPreferences = (weights: Weights, { pod }: PodInfo, nodes: readonly NodeInfo[]): void => {
  for (const node of nodes)
    for (const existing of node.withAffinity) {
      for (const term of existing.affinity)
        if (term.matches(pod)) addWeight(weights, node, term.topologyKey, REQUIRED_WEIGHT)
      for (const term of existing.preferredAffinity)
        if (term.matches(pod)) addWeight(weights, node, term.topologyKey, term.weight)
      for (const term of existing.preferredAntiAffinity)
        if (term.matches(pod)) addWeight(weights, node, term.topologyKey, -term.weight)
    }
}

export const preferredPods: Scorer = {
  weight: 2,
  score(info, nodes, cluster) {
    const weights: Weights = new Map()
    addOwnPreferences(weights, info, cluster.nodes)
    addExistingPreferences(weights, info, cluster.nodes)
    if (weights.size === 0) return undefined
    const raw = nodes.map(({ node }) =>
      Object.entries(node.metadata.labels ?? {}).reduce(
        (sum, [key, value]) => sum + (weights.get(`${key}=${value}`) ?? 0),
        0,
      ),
    )
    const [min, max] = [Math.min(...raw), Math.max(...raw)]
    return raw.map((value) => (max === min ? 0 : Math.floor((MAX_SCORE * (value - min)) / (max - min))))
  },
}
