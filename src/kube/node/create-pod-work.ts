/** Begins the work on one pod: what its steps share, and the means to look at it again. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '../../kit/index.ts'
import { isPodTerminal } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import { attempt } from './attempt.ts'
import { recordsOf } from './container-record.ts'
import type { PodWork } from './pod-work.ts'

/** A failed step is tried again after this time, and up to half as much more. */
const RESYNC_MS = 10_000
/** The real kubelet lists its containers every second, and looks at a pod whose sandbox is new. */
const RELIST_MS = 1000

export type PodWorkParts = Pick<PodWork, 'context' | 'restarts' | 'images'>

export interface LivingPodWork extends PodWork {
  /** Ends the work: nothing is looked at any more. */
  letGo(): void
}

/** `sync` looks at the whole pod. */
export const createPodWork = (initial: Stored<Pod>, parts: PodWorkParts, sync: () => void): LivingPodWork => {
  const { clock, random, isAlive, onError, statusChanged } = parts.context
  const { namespace, name, uid } = initial.metadata
  let syncQueued = false
  let resync: Timer | undefined

  const work: LivingPodWork = {
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
      const went = attempt({ onError }, `pod ${namespace}/${name}`, step)
      if (!went) work.resyncLater()
      return went
    },
    changed() {
      // A kubelet that is stopping the containers of a pod tells of their end when it is through with all.
      if (work.stopping === undefined || work.ended) statusChanged(uid)
    },
    letGo() {
      work.ended = true
      resync?.cancel()
    },
  }
  return work
}
