/** The contract of the scheduler's scorers, which rate each feasible node for a pod from 0 to 100. */
import type { Cluster } from './filter.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export const MAX_SCORE = 100

export interface Scorer {
  weight: number
  /** Returns one score per node, in order; undefined if the scorer does not apply to the pod. */
  score(pod: PodInfo, nodes: readonly NodeInfo[], cluster: Cluster): readonly number[] | undefined
}

/** Scales values so that the highest gets the maximum score; with `reverse`, it gets 0, and 0 gets the maximum. */
export const normalise = (raw: readonly number[], reverse = false): number[] => {
  const highest = Math.max(0, ...raw)
  if (highest === 0) return raw.map(() => (reverse ? MAX_SCORE : 0))
  return raw.map((value) => {
    const scaled = Math.floor((MAX_SCORE * value) / highest)
    return reverse ? MAX_SCORE - scaled : scaled
  })
}
