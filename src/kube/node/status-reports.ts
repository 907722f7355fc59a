/** Writes what the pods of a node have become into the API, together at the end of each turn. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '../../kit/index.ts'
import { pods } from '../kinds/index.ts'
import { isConflict, type Stored } from '../meta/index.ts'
import type { KubeletContext } from './kubelet-context.ts'
import type { PodWorker } from './pod-worker.ts'

/** The real kubelet goes through all statuses that often. */
const RETRY_MS = 10_000

export interface StatusReports {
  /** The pod's status is to be written at the end of this turn. */
  changed(uid: string): void
  /** Writes what has been kept back while the kubelet was dead. */
  resume(): void
  forget(uid: string): void
  stop(): void
}

/** `onGone`: nothing is left of the pod, neither here nor in the API. */
export const createStatusReports = (
  { client, clock, isAlive, onError }: KubeletContext,
  workerOf: (uid: string) => PodWorker | undefined,
  onGone: (uid: string) => void,
): StatusReports => {
  const pending = new Set<string>()
  const finalised = new Set<string>()
  const retries = new Map<string, Timer>()
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

  const retryLater = (uid: string): void => {
    retries.get(uid)?.cancel()
    const timer = clock.after(RETRY_MS, () => {
      retries.delete(uid)
      changed(uid)
    })
    retries.set(uid, timer)
  }

  /** The last word on a pod that was asked to go: nothing of it is left here. */
  const finalise = ({ metadata: { namespace, name, uid } }: Stored<Pod>): void => {
    if (finalised.has(uid)) return
    client.delete(pods, namespace!, name, { gracePeriodSeconds: 0, preconditions: { uid } })
    // The worker may be gone with the pod; where finalizers hold it, once is enough.
    if (workerOf(uid) !== undefined) finalised.add(uid)
  }

  const report = (worker: PodWorker): void => {
    const { namespace, name, uid } = worker.pod.metadata
    const pod = client.get(pods, namespace!, name)
    if (pod?.metadata.uid !== uid) {
      if (worker.ended) onGone(uid)
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
        retryLater(uid)
        const { namespace, name } = worker.pod.metadata
        if (!isConflict(error)) onError(`status of pod ${namespace}/${name}`, error)
      }
    }
  }

  return {
    changed,
    resume: queue,
    forget(uid) {
      retries.get(uid)?.cancel()
      retries.delete(uid)
      pending.delete(uid)
      finalised.delete(uid)
    },
    stop() {
      for (const timer of retries.values()) timer.cancel()
      retries.clear()
    },
  }
}
