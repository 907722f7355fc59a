/** Which pods go first when there are too many. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, podCondition } from '../../kinds/index.ts'
import { fromTime, type Stored } from '../../meta/index.ts'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

const costOf = (pod: Stored<Pod>): number =>
  Number.parseInt(pod.metadata.annotations?.[DELETION_COST] ?? '0', 10) || 0

const restartsOf = (pod: Stored<Pod>): number =>
  Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount))

const readySince = (pod: Stored<Pod>): number => {
  const since = podCondition(pod, 'Ready')?.lastTransitionTime
  return since === undefined || since === null ? 0 : fromTime(since)
}

/** Ages count by their order of magnitude, so that among pods of similar age chance (the uid) decides. */
const magnitude = (since: number, now: number): number =>
  now > since ? Math.floor(Math.log2((now - since) * 1e6)) : -1

const youngerFirst = (
  a: Stored<Pod>,
  b: Stored<Pod>,
  sinceA: number,
  sinceB: number,
  now: number,
): number => {
  if (sinceA === sinceB) return 0
  return magnitude(sinceA, now) - magnitude(sinceB, now) || (a.metadata.uid < b.metadata.uid ? -1 : 1)
}

/**
 * Unassigned before assigned, pending before running, unready before ready, cheap before dear, crowded nodes before
 * others, newly ready before long ready, often restarted before steady, young before old.
 */
export const rankForDeletion = (
  pods: readonly Stored<Pod>[],
  neighbours: readonly Stored<Pod>[],
  now: number,
): Stored<Pod>[] => {
  const crowd = new Map<string, number>()
  for (const { spec } of neighbours) crowd.set(spec.nodeName ?? '', (crowd.get(spec.nodeName ?? '') ?? 0) + 1)
  const crowdOf = (pod: Stored<Pod>): number => crowd.get(pod.spec.nodeName ?? '') ?? 0
  const phaseOf = (pod: Stored<Pod>): number => PHASES[pod.status.phase ?? ''] ?? 0

  return [...pods].sort(
    (a, b) =>
      Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
      phaseOf(a) - phaseOf(b) ||
      Number(isPodReady(a)) - Number(isPodReady(b)) ||
      costOf(a) - costOf(b) ||
      crowdOf(b) - crowdOf(a) ||
      (isPodReady(a) && isPodReady(b) ? youngerFirst(a, b, readySince(a), readySince(b), now) : 0) ||
      restartsOf(b) - restartsOf(a) ||
      youngerFirst(a, b, fromTime(a.metadata.creationTimestamp), fromTime(b.metadata.creationTimestamp), now),
  )
}
