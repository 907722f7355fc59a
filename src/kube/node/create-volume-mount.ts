/** Has the volumes of a pod ready, and tries again after growing pauses while they are not. */
import type { PodVolumes } from '../ports/index.ts'
import { MountError, resolveVolumes } from './pod-volumes.ts'
import { type PodWork, placeOf } from './pod-work.ts'

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 122_000

/** Gives a function that gives the volumes, or nothing as long as they are not there. */
export const createVolumeMount = (work: PodWork): (() => PodVolumes | undefined) => {
  let volumes: PodVolumes | undefined
  let retryMs = FIRST_RETRY_MS
  return () => {
    if (volumes !== undefined) return volumes
    const { context, pod } = work
    try {
      volumes = resolveVolumes(context, pod, placeOf(work))
    } catch (error) {
      if (!(error instanceof MountError)) throw error
      // One event for each attempt, not for each look at the pod in between.
      if (!work.resyncAfter(retryMs)) return undefined
      context.events.record(pod, 'Warning', 'FailedMount', error.message)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
    return volumes
  }
}
