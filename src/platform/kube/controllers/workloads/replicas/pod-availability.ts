/** Decides whether a pod counts as a replica and when it becomes available. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, podCondition } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'

export const isTerminating = (object: { metadata: { deletionTimestamp?: string } }): boolean =>
  object.metadata.deletionTimestamp !== undefined

/** Whether the pod is neither terminal nor terminating. */
export const isPodActive = (pod: Stored<Pod>): boolean => !isPodTerminal(pod) && !isTerminating(pod)

/** Milliseconds until a pod becomes available: 0 if it is available, Infinity if it is not ready. */
const timeToAvailable = (pod: Stored<Pod>, minReadySeconds: number, now: number): number => {
  if (!isPodReady(pod)) return Number.POSITIVE_INFINITY
  if (minReadySeconds === 0) return 0
  const since = podCondition(pod, 'Ready')?.lastTransitionTime
  if (since === undefined || since === null) return Number.POSITIVE_INFINITY
  return Math.max(0, fromTime(since) + minReadySeconds * 1000 - now)
}

export const isPodAvailable = (pod: Stored<Pod>, minReadySeconds: number, now: number): boolean =>
  timeToAvailable(pod, minReadySeconds, now) === 0

/** Milliseconds until the next ready pod becomes available, or undefined if none is waiting. */
export const nextAvailability = (
  pods: readonly Stored<Pod>[],
  minReadySeconds: number,
  now: number,
): number | undefined => {
  if (minReadySeconds === 0) return undefined
  const waits = pods
    .map((pod) => timeToAvailable(pod, minReadySeconds, now))
    .filter((wait) => wait > 0 && Number.isFinite(wait))
  return waits.length === 0 ? undefined : Math.min(...waits)
}
