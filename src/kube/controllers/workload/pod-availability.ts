/** How far a pod is: whether it counts as a replica, and since when it is available. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, podCondition } from '../../kinds/index.ts'
import { fromTime, type Stored } from '../../meta/index.ts'

export const isTerminating = (object: { metadata: { deletionTimestamp?: string } }): boolean =>
  object.metadata.deletionTimestamp !== undefined

/** Neither ended nor asked to end. */
export const isPodActive = (pod: Stored<Pod>): boolean => !isPodTerminal(pod) && !isTerminating(pod)

/** Milliseconds until a ready pod counts as available: 0 when it does, Infinity while it is not ready. */
const timeToAvailable = (pod: Stored<Pod>, minReadySeconds: number, now: number): number => {
  if (!isPodReady(pod)) return Number.POSITIVE_INFINITY
  if (minReadySeconds === 0) return 0
  const since = podCondition(pod, 'Ready')?.lastTransitionTime
  if (since === undefined || since === null) return Number.POSITIVE_INFINITY
  return Math.max(0, fromTime(since) + minReadySeconds * 1000 - now)
}

export const isPodAvailable = (pod: Stored<Pod>, minReadySeconds: number, now: number): boolean =>
  timeToAvailable(pod, minReadySeconds, now) === 0

/** Milliseconds until the next ready pod becomes available; undefined when none is on its way. */
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
