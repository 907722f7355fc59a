/** Ranks pods for deletion when a workload is scaled down. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, podCondition } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASE_RANKS: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

const costOf = (pod: Stored<Pod>): number =>
  Number.parseInt(pod.metadata.annotations?.[DELETION_COST] ?? '0', 10) || 0

const restartsOf = (pod: Stored<Pod>): number =>
  Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount))

const readySince = (pod: Stored<Pod>): number => {
  const since = podCondition(pod, 'Ready')?.lastTransitionTime
  return since === undefined || since === null ? 0 : fromTime(since)
}

/** Ages are compared by their order of magnitude; the uid breaks ties among pods of similar age. */
const magnitude = (since: number, now: number): number =>
  now > since ? Math.floor(Math.log2((now - since) * 1e6)) : -1

const createdAt = (pod: Stored<Pod>): number => fromTime(pod.metadata.creationTimestamp)

const youngerFirst =
  (sinceOf: (pod: Stored<Pod>) => number, now: number) =>
  (a: Stored<Pod>, b: Stored<Pod>): number => {
    const [sinceA, sinceB] = [sinceOf(a), sinceOf(b)]
    if (sinceA === sinceB) return 0
    return magnitude(sinceA, now) - magnitude(sinceB, now) || (a.metadata.uid < b.metadata.uid ? -1 : 1)
  }

/**
 * Sorts the pods to delete first to the front: unassigned, pending, unready, low deletion cost, on a node with many
 * neighbours, ready for a shorter time, more restarts, younger.
 */
export const rankForDeletion = (
  pods: readonly Stored<Pod>[],
  neighbours: readonly Stored<Pod>[],
  now: number,
): Stored<Pod>[] => {
  const counts = new Map<string, number>()
  for (const { spec } of neighbours)
    counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1)
  const neighboursOf = (pod: Stored<Pod>): number => counts.get(pod.spec.nodeName ?? '') ?? 0
  const phaseOf = (pod: Stored<Pod>): number => PHASE_RANKS[pod.status.phase ?? ''] ?? 0

  const byReadyTime = youngerFirst(readySince, now)
  const byAge = youngerFirst(createdAt, now)
  return [...pods].sort(
    (a, b) =>
      Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
      phaseOf(a) - phaseOf(b) ||
      Number(isPodReady(a)) - Number(isPodReady(b)) ||
      costOf(a) - costOf(b) ||
      neighboursOf(b) - neighboursOf(a) ||
      (isPodReady(a) && isPodReady(b) ? byReadyTime(a, b) : 0) ||
      restartsOf(b) - restartsOf(a) ||
      byAge(a, b),
  )
}
