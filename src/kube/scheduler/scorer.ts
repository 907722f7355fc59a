/** What every score of the scheduler is: how good each feasible node is for a pod, from 0 to 100. */
import type { Cluster } from './filter.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

export const BEST = 100

export interface Scorer {
  weight: number
  /** One number per node, in their order; nothing where the pod has no wish of the kind. */
  score(pod: PodInfo, nodes: readonly NodeInfo[], cluster: Cluster): readonly number[] | undefined
}

/** Scales so that the highest becomes the best; with `reverse`, so that the lowest does. */
export const normalised = (raw: readonly number[], reverse = false): number[] => {
  const highest = Math.max(0, ...raw)
  if (highest === 0) return raw.map(() => (reverse ? BEST : 0))
  return raw.map((value) => {
    const scaled = Math.floor((BEST * value) / highest)
    return reverse ? BEST - scaled : scaled
  })
}
