/** The rolling update of a DaemonSet: replaces old pods node by node, in place or with a surge. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { isPodAvailable, isTerminating } from '../replicas/pod-availability.ts'
import { scaledValue } from '../replicas/scaled-value.ts'
import { REVISION_HASH } from './daemon-pod.ts'

interface NodePods {
  node: string
  pods: readonly Stored<Pod>[]
}

export interface Changes {
  /** Names of the nodes that need a new pod. */
  create: string[]
  remove: Stored<Pod>[]
}

interface UpdateState {
  set: Stored<DaemonSet>
  hash: string
  nodes: readonly NodePods[]
  now: number
}

/** Returns how many nodes at a time may have two pods, and how many may have no available pod. */
export const updateLimits = (
  set: Stored<DaemonSet>,
  nodes: number,
): { surge: number; unavailable: number } => {
  const { maxSurge, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge ?? 0, nodes, 'up')
  const unavailable = scaledValue(maxUnavailable ?? 1, nodes, 'up')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** Returns the new and the old pod of a node, or undefined while a pod terminates or a revision has two. */
const findPair = (
  { pods }: NodePods,
  hash: string,
): { fresh?: Stored<Pod>; old?: Stored<Pod> } | undefined => {
  const fresh = pods.filter((pod) => pod.metadata.labels?.[REVISION_HASH] === hash)
  const old = pods.filter((pod) => pod.metadata.labels?.[REVISION_HASH] !== hash)
  if (pods.some(isTerminating) || fresh.length > 1 || old.length > 1) return undefined
  return { ...(fresh[0] ? { fresh: fresh[0] } : {}), ...(old[0] ? { old: old[0] } : {}) }
}

const replaceInPlace = ({ set, hash, nodes, now }: UpdateState, limit: number): Changes => {
  const isAvailable = (pod: Stored<Pod>): boolean => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  const broken: Stored<Pod>[] = []
  const candidates: Stored<Pod>[] = []
  let unavailable = 0
  for (const entry of nodes) {
    const pair = findPair(entry, hash)
    if (pair?.fresh !== undefined) unavailable += isAvailable(pair.fresh) ? 0 : 1
    else if (pair?.old === undefined) unavailable += 1
    else if (isAvailable(pair.old)) candidates.push(pair.old)
    else {
      broken.push(pair.old)
      unavailable += 1
    }
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, limit - unavailable))] }
}

const replaceBySurge = ({ set, hash, nodes, now }: UpdateState, limit: number): Changes => {
  const isAvailable = (pod: Stored<Pod>): boolean => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  const remove: Stored<Pod>[] = []
  const immediate: string[] = []
  const candidates: string[] = []
  let surging = 0
  for (const entry of nodes) {
    const pair = findPair(entry, hash)
    if (pair === undefined) surging += 1
    else if (pair.old === undefined) continue
    else if (pair.fresh === undefined) (isAvailable(pair.old) ? candidates : immediate).push(entry.node)
    else if (isAvailable(pair.fresh)) remove.push(pair.old)
    else surging += 1
  }
  return { create: [...immediate, ...candidates.slice(0, Math.max(0, limit - surging))], remove }
}

/** Returns the changes that the update strategy allows now. */
export const updatePods = (state: UpdateState): Changes => {
  const { surge, unavailable } = updateLimits(state.set, state.nodes.length)
  return surge > 0 ? replaceBySurge(state, surge) : replaceInPlace(state, unavailable)
}
