/** The pods that network faults act on: holds each one's network namespace while there is a fault, and no longer. */
import { type NetworkNamespace, openNetworkNamespace } from '../../../linux/index.ts'
import type { PodProcessView } from '../../ports/index.ts'
import type { PacketFault } from './packet-queue.ts'
import type { ShapedFault } from './queue-disciplines.ts'

export interface HitPod {
  readonly uid: string
  readonly namespace: NetworkNamespace
  /** What its device carries in one piece, once somebody has asked. */
  mtu?: number
  /** By the ids of the faults. */
  readonly queued: Map<string, PacketFault>
  readonly shaped: Map<string, ShapedFault>
  /** Its sandbox is taken away: nothing can be done in it, and nothing need be. */
  gone: boolean
}

interface Entry {
  readonly pod: HitPod
  readonly faults: Set<string>
  /** One change after the other. */
  turn: Promise<unknown>
}

export interface HitPods {
  /** The pod, held for this fault. */
  hold(view: PodProcessView, fault: string): HitPod
  letGo(pod: HitPod, fault: string): void
  /** Runs when all earlier changes of the pod are done. */
  inTurn<T>(pod: HitPod, change: () => Promise<T>): Promise<T>
  /** Lets go of the pod at once, for all faults; it, if there was one. */
  forget(uid: string): HitPod | undefined
  /** Whether a fault waits for packets anywhere. */
  hasQueue(): boolean
}

export const createHitPods = (): HitPods => {
  const entries = new Map<string, Entry>()

  const makeEntry = (view: PodProcessView): Entry => ({
    pod: {
      uid: view.uid,
      namespace: openNetworkNamespace(view.networkNamespacePath),
      queued: new Map(),
      shaped: new Map(),
      gone: false,
    },
    faults: new Set(),
    turn: Promise.resolve(),
  })

  return {
    hold(view, fault) {
      const entry = entries.get(view.uid) ?? makeEntry(view)
      entries.set(view.uid, entry)
      entry.faults.add(fault)
      return entry.pod
    },
    letGo(pod, fault) {
      const entry = entries.get(pod.uid)
      if (entry?.pod !== pod) return
      entry.faults.delete(fault)
      if (entry.faults.size > 0) return
      entries.delete(pod.uid)
      pod.namespace.close()
    },
    inTurn(pod, change) {
      const entry = entries.get(pod.uid)
      if (entry?.pod !== pod) return change()
      const mine = entry.turn.then(change)
      entry.turn = mine.catch(() => {})
      return mine
    },
    forget(uid) {
      const entry = entries.get(uid)
      if (entry === undefined) return undefined
      entries.delete(uid)
      entry.pod.gone = true
      entry.pod.namespace.close()
      return entry.pod
    },
    hasQueue: () => [...entries.values()].some(({ pod }) => pod.queued.size > 0),
  }
}
