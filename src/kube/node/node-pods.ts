/** The pods of one node: takes on those bound to it, follows them, and forgets those that are gone. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal, pods } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { WatchEvent } from '../ports/index.ts'
import { admitPod, type Rejection } from './admit-pod.ts'
import { attempt } from './attempt.ts'
import { createBackOff } from './back-off.ts'
import { createImagePuller } from './image-puller.ts'
import type { KubeletContext } from './kubelet-context.ts'
import { createPodWorker, type PodWorker } from './pod-worker.ts'

/** A pod that could not even be taken on is tried again after this time. */
const RETRY_MS = 10_000

export interface NodePods {
  workerOf(uid: string): PodWorker | undefined
  workers(): Iterable<PodWorker>
  /** Follows what happens to the pods of the cluster. */
  onPod(event: WatchEvent<Pod>): void
  /** Begins with a pod that is bound to the node. */
  take(pod: Stored<Pod>): void
  /** Nothing is left of the pod. */
  forget(uid: string): void
  /** Lets go of all pods without touching them. */
  stop(): void
}

export const createNodePods = (context: KubeletContext): NodePods => {
  const { client, clock, runtime, allocatable, nodeName } = context
  const workers = new Map<string, PodWorker>()
  const restarts = createBackOff()
  const images = createImagePuller(context, createBackOff())
  let stopped = false

  const forget = (uid: string): void => {
    workers.delete(uid)
    restarts.forget(uid)
    images.forget(uid)
    runtime.forgetPod(uid)
    context.podForgotten(uid)
  }

  const isThere = ({ metadata: { namespace, name, uid } }: Stored<Pod>): boolean =>
    client.get(pods, namespace!, name)?.metadata.uid === uid

  /**
   * Pods that were deleted by force take no more room, though their processes are still ending: the scheduler does not
   * know of them, and would send one pod after another to be turned away.
   */
  const rejectionOf = (pod: Stored<Pod>): Rejection | undefined => {
    const others = [...workers.values()].filter(({ ended }) => !ended).map((worker) => worker.pod)
    return admitPod(pod, others.filter(isThere), allocatable)
  }

  const begin = (pod: Stored<Pod>): void => {
    const { uid, deletionTimestamp } = pod.metadata
    const isGoing = deletionTimestamp !== undefined
    const rejection = isGoing || isPodTerminal(pod) ? undefined : rejectionOf(pod)
    const worker = createPodWorker(pod, { context, restarts, images })
    workers.set(uid, worker)
    if (isGoing) worker.update(pod)
    if (rejection !== undefined) worker.reject(rejection.reason, rejection.message)
  }

  /** Takes the pod as it is by now: it may have been seen in the middle of somebody's write. */
  const take = (seen: Stored<Pod>): void => {
    const { namespace, name, uid } = seen.metadata
    if (stopped || workers.has(uid)) return
    const taken = attempt(context, `pod ${namespace}/${name}`, () => {
      const pod = client.get(pods, namespace!, name)
      if (pod?.metadata.uid === uid) begin(pod)
    })
    if (!taken) clock.after(RETRY_MS, () => take(seen))
  }

  return {
    workerOf: (uid) => workers.get(uid),
    workers: () => workers.values(),
    onPod({ type, object: pod }) {
      if (pod.spec.nodeName !== nodeName) return
      const worker = workers.get(pod.metadata.uid)
      if (type === 'DELETED') {
        worker?.remove()
        if (worker?.ended === true) forget(pod.metadata.uid)
      } else if (worker === undefined) clock.defer(() => take(pod))
      else worker.update(pod)
    },
    take,
    forget,
    stop() {
      stopped = true
      for (const worker of workers.values()) worker.abandon()
    },
  }
}
