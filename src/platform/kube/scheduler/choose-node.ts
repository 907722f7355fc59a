/** Chooses the node with the highest score. */
import type { Random } from '#kit'
import type { Cluster } from './filter.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { scorers } from './scores/index.ts'

/** Breaks ties at random, so that the first node does not fill up first. */
export const chooseNode = (
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  cluster: Cluster,
  random: Random,
): NodeInfo => {
  if (nodes.length === 1) return nodes[0]!
  const totals = nodes.map(() => 0)
  for (const { weight, score } of scorers)
    for (const [index, points] of score(pod, nodes, cluster)?.entries() ?? [])
      totals[index]! += points * weight
  const best = Math.max(...totals)
  const tied = nodes.filter((_, index) => totals[index] === best)
  return tied[tied.length === 1 ? 0 : random.below(tied.length)]!
}
