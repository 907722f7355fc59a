/** Stops a pod: its containers, then its sandbox. */
import { stopAll } from '../containers/stop-container.ts'
import { removeSandbox } from './pod-sandbox.ts'
import type { PodEnding } from './pod-status.ts'
import type { PodWork, Stopping } from './pod-work.ts'

export interface PodStop {
  /** Stops the pod; does nothing if it is already stopping. */
  start(graceMs: number, ending?: PodEnding): void
  /** Stops the pod, or shortens the grace period of a stop in progress. */
  startWithin(graceMs: number): void
  /** Takes the next step of a stop in progress. */
  advance(stopping: Stopping): void
}

/** `onStopped` is called once all containers and the sandbox are removed. */
export const createPodStop = (work: PodWork, onStopped: () => void): PodStop => {
  const start = (graceMs: number, ending?: PodEnding): void => {
    if (work.ended) return
    work.stopping ??= { graceMs, ending }
    work.queueSync()
  }

  return {
    start,

    startWithin(graceMs) {
      start(graceMs)
      const { stopping, context } = work
      const endsAt = context.clock.now() + graceMs
      if (work.ended || stopping === undefined || (stopping.endsAt ?? Number.POSITIVE_INFINITY) <= endsAt)
        return
      stopping.graceMs = Math.min(stopping.graceMs, graceMs)
      if (stopping.endsAt !== undefined) stopping.endsAt = endsAt
      for (const { activity, instance } of work.records)
        if (activity === 'stopping' && instance !== undefined)
          context.runtime.stopContainer(instance.id, graceMs)
    },

    advance(stopping) {
      if (!stopAll(work, stopping)) return
      if (work.sandbox !== undefined) removeSandbox(work, work.sandbox, onStopped)
      else if (work.sandboxActivity === undefined) onStopped()
    },
  }
}
