/** Creates the shared state of one pod's steps, with its sync queue. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '#kit'
import { isPodTerminal } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { attempt } from '../attempt.ts'
import { recordsOf } from '../containers/container-record.ts'
import type { PodWork } from './pod-work.ts'

/** The delay before a failed step is retried; up to half as much is added at random. */
const RESYNC_MS = 10_000
/** The real kubelet lists its containers every second, and then syncs a pod with a new sandbox. */
const RELIST_MS = 1000

export type PodWorkParts = Pick<PodWork, 'context' | 'restarts' | 'images'>

export interface ClosablePodWork extends PodWork {
  /** Marks the work as ended and cancels pending syncs. */
  close(): void
}

/** `sync` reconciles the whole pod. */
export const createPodWork = (
  initial: Stored<Pod>,
  parts: PodWorkParts,
  sync: () => void,
): ClosablePodWork => {
  const { clock, random, isAlive, onError, statusChanged } = parts.context
  const { namespace, name, uid } = initial.metadata
  let syncQueued = false
  let resync: Timer | undefined

  const work: ClosablePodWork = {
    ...parts,
    pod: initial,
    records: recordsOf(initial.spec),
    ended: isPodTerminal(initial),
    queueSync() {
      if (syncQueued || work.ended) return
      syncQueued = true
      clock.defer(() => {
        syncQueued = false
        if (!work.ended && isAlive()) work.attempt(sync)
      })
    },
    resyncAfter(milliseconds) {
      if (resync !== undefined || work.ended) return false
      resync = clock.after(milliseconds, () => {
        resync = undefined
        work.queueSync()
      })
      return true
    },
    resyncLater() {
      if (resync !== undefined || work.ended) return
      work.resyncAfter(work.sandboxIsNew === true ? RELIST_MS : RESYNC_MS * (1 + random.next() / 2))
      work.sandboxIsNew = false
    },
    attempt(step) {
      const isOk = attempt({ onError }, `pod ${namespace}/${name}`, step)
      if (!isOk) work.resyncLater()
      return isOk
    },
    queueReport() {
      // The kubelet reports the exits of a stopping pod's containers once all of them have ended.
      if (work.stopping === undefined || work.ended) statusChanged(uid)
    },
    close() {
      work.ended = true
      resync?.cancel()
    },
  }
  return work
}
