/** Keeps the network namespaces of pods open while network faults act on them. */
import { type NetworkNamespace, openNetworkNamespace } from '#machine/linux'
import type { PodProcessView } from '#platform/kube/ports'
import type { PacketFault } from './packet-queue.ts'
import type { ShapedFault } from './queue-disciplines.ts'

export interface AffectedPod {
  readonly uid: string
  readonly namespace: NetworkNamespace
  /** The MTU of its device; undefined until it has been read. */
  mtu?: number
  /** The faults that queue packets, by fault ID. */
  readonly queued: Map<string, PacketFault>
  /** The faults that shape the traffic of its device, by fault ID. */
  readonly shaped: Map<string, ShapedFault>
  /** Whether its sandbox is being removed, so that its faults need not be undone. */
  isRemoved: boolean
}

interface Entry {
  readonly pod: AffectedPod
  readonly faults: Set<string>
  /** Settles when the most recently enqueued change has ended. */
  lastChange: Promise<unknown>
}

export interface AffectedPods {
  /** Opens the pod's namespace, if necessary, and keeps it for this fault. */
  hold(view: PodProcessView, fault: string): AffectedPod
  release(pod: AffectedPod, fault: string): void
  /** Runs the change after all earlier changes of the pod. */
  enqueue<T>(pod: AffectedPod, change: () => Promise<T>): Promise<T>
  /** Releases the pod for all faults; returns it if it was held. */
  forget(uid: string): AffectedPod | undefined
  /** Whether any pod has a fault that queues packets. */
  hasQueue(): boolean
}

export const createAffectedPods = (): AffectedPods => {
  const entries = new Map<string, Entry>()

  const createEntry = (view: PodProcessView): Entry => ({
    pod: {
      uid: view.uid,
      namespace: openNetworkNamespace(view.networkNamespacePath),
      queued: new Map(),
      shaped: new Map(),
      isRemoved: false,
    },
    faults: new Set(),
    lastChange: Promise.resolve(),
  })

  return {
    hold(view, fault) {
      const entry = entries.get(view.uid) ?? createEntry(view)
      entries.set(view.uid, entry)
      entry.faults.add(fault)
      return entry.pod
    },
    release(pod, fault) {
      const entry = entries.get(pod.uid)
      if (entry?.pod !== pod) return
      entry.faults.delete(fault)
      if (entry.faults.size > 0) return
      entries.delete(pod.uid)
      pod.namespace.close()
    },
    enqueue(pod, change) {
      const entry = entries.get(pod.uid)
      if (entry?.pod !== pod) return change()
      const result = entry.lastChange.then(change)
      entry.lastChange = result.catch(() => {})
      return result
    },
    forget(uid) {
      const entry = entries.get(uid)
      if (entry === undefined) return undefined
      entries.delete(uid)
      entry.pod.isRemoved = true
      entry.pod.namespace.close()
      return entry.pod
    },
    hasQueue: () => [...entries.values()].some(({ pod }) => pod.queued.size > 0),
  }
}
