/** Runs a worker for each pod that is bound to the node. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { WatchEvent } from '#platform/kube/ports'
import { attempt } from '../attempt.ts'
import { createBackOff } from '../containers/back-off.ts'
import { createImagePuller } from '../containers/image-puller.ts'
import type { KubeletContext } from '../kubelet-context.ts'
import { admitPod, type Rejection } from './admit-pod.ts'
import { createPodWorker, type PodWorker } from './pod-worker.ts'

/** The delay before a worker that could not be created is retried. */
const RETRY_MS = 10_000

export interface NodePods {
  workerOf(uid: string): PodWorker | undefined
  workers(): Iterable<PodWorker>
  /** Handles a watch event of any pod in the cluster. */
  onPod(event: WatchEvent<Pod>): void
  /** Starts a worker for a pod that is bound to the node. */
  start(pod: Stored<Pod>): void
  /** Drops all data of a pod that no longer exists. */
  forget(uid: string): void
  /** Stops all workers without stopping their pods. */
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

  const isStored = ({ metadata: { namespace, name, uid } }: Stored<Pod>): boolean =>
    client.get(pods, namespace!, name)?.metadata.uid === uid

  /**
   * Ignores force-deleted pods whose processes are still ending: the scheduler does not count them either,
   * and would keep binding pods that are rejected here.
   */
  const rejectionOf = (pod: Stored<Pod>): Rejection | undefined => {
    const others = [...workers.values()].filter(({ ended }) => !ended).map((worker) => worker.pod)
    return admitPod(pod, others.filter(isStored), allocatable)
  }

  const startWorker = (pod: Stored<Pod>): void => {
    const { uid, deletionTimestamp } = pod.metadata
    const isDeleted = deletionTimestamp !== undefined
    const rejection = isDeleted || isPodTerminal(pod) ? undefined : rejectionOf(pod)
    const worker = createPodWorker(pod, { context, restarts, images })
    workers.set(uid, worker)
    if (isDeleted) worker.update(pod)
    if (rejection !== undefined) worker.reject(rejection.reason, rejection.message)
  }

  /** Reads the pod again, because the event may show an intermediate state. */
  const start = (seen: Stored<Pod>): void => {
    const { namespace, name, uid } = seen.metadata
    if (stopped || workers.has(uid)) return
    const isHandled = attempt(context, `pod ${namespace}/${name}`, () => {
      const pod = client.get(pods, namespace!, name)
      if (pod?.metadata.uid === uid) startWorker(pod)
    })
    if (!isHandled) clock.after(RETRY_MS, () => start(seen))
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
      } else if (worker === undefined) clock.defer(() => start(pod))
      else worker.update(pod)
    },
    start,
    forget,
    stop() {
      stopped = true
      for (const worker of workers.values()) worker.abandon()
    },
  }
}
