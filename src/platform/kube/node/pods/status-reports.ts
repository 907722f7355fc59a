/** Writes the changed statuses of a node's pods to the API, in a batch at the end of each turn. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '#kit'
import { pods } from '#platform/kube/kinds'
import { isConflict, type Stored } from '#platform/kube/meta'
import type { KubeletContext } from '../kubelet-context.ts'
import type { PodWorker } from './pod-worker.ts'

/** The interval at which the real kubelet syncs all statuses. */
const RETRY_MS = 10_000

export interface StatusReports {
  /** Queues the pod's status to be written at the end of this turn. */
  changed(uid: string): void
  /** Writes the statuses that were held back while the kubelet was unhealthy. */
  resume(): void
  forget(uid: string): void
  stop(): void
}

/** Schedules `changed` again for pods whose report failed. */
const createRetries = (clock: Clock, changed: (uid: string) => void) => {
  const timers = new Map<string, Timer>()
  const cancel = (uid: string): void => {
    timers.get(uid)?.cancel()
    timers.delete(uid)
  }
  return {
    cancel,
    schedule(uid: string): void {
      cancel(uid)
      const timer = clock.after(RETRY_MS, () => {
        timers.delete(uid)
        changed(uid)
      })
      timers.set(uid, timer)
    },
    cancelAll(): void {
      for (const uid of [...timers.keys()]) cancel(uid)
    },
  }
}

/** `onRemoved` is called for a pod that exists neither on the node nor in the API. */
export const createStatusReports = (
  { client, clock, isAlive, onError }: KubeletContext,
  workerOf: (uid: string) => PodWorker | undefined,
  onRemoved: (uid: string) => void,
): StatusReports => {
  const pending = new Set<string>()
  const finalised = new Set<string>()
  let queued = false

  const queue = (): void => {
    if (queued || !isAlive()) return
    queued = true
    clock.defer(flush)
  }

  const changed = (uid: string): void => {
    pending.add(uid)
    queue()
  }

  const retries = createRetries(clock, changed)

  /** Deletes the object of a pod that was deleted and has now ended. */
  const finalise = ({ metadata: { namespace, name, uid } }: Stored<Pod>): void => {
    if (finalised.has(uid)) return
    client.delete(pods, namespace!, name, { gracePeriodSeconds: 0, preconditions: { uid } })
    // The call usually removes the worker as well. If finalizers keep the pod, one call is enough.
    if (workerOf(uid) !== undefined) finalised.add(uid)
  }

  const report = (worker: PodWorker): void => {
    const { namespace, name, uid } = worker.pod.metadata
    const pod = client.get(pods, namespace!, name)
    if (pod?.metadata.uid !== uid) {
      if (worker.ended) onRemoved(uid)
      return
    }
    client.updateStatus(pods, { ...pod, status: worker.statusFor(pod) })
    if (worker.ended && pod.metadata.deletionTimestamp !== undefined) finalise(pod)
  }

  const flush = (): void => {
    queued = false
    if (!isAlive()) return
    const batch = [...pending]
    pending.clear()
    for (const uid of batch) {
      const worker = workerOf(uid)
      if (worker === undefined) continue
      try {
        report(worker)
      } catch (error) {
        retries.schedule(uid)
        const { namespace, name } = worker.pod.metadata
        if (!isConflict(error)) onError(`status of pod ${namespace}/${name}`, error)
      }
    }
  }

  return {
    changed,
    resume: queue,
    forget(uid) {
      retries.cancel(uid)
      pending.delete(uid)
      finalised.delete(uid)
    },
    stop: retries.cancelAll,
  }
}
