/** Updates the scheduler's cache from watches, and requeues the pods that a change might make schedulable. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  isPodTerminal,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import type { ClusterCache } from './cluster-cache.ts'
import type { Nominations } from './nominations.ts'
import type { SchedulingQueue } from './scheduling-queue.ts'
import type { VolumeWaits } from './volume-waits.ts'
import { hasNode, isWaiting } from './waiting-pod.ts'

export interface WatchClusterOptions {
  client: Client
  cache: ClusterCache
  queue: SchedulingQueue
  nominations: Nominations
  waits: VolumeWaits
  /** Runs a step and reports its error instead of throwing it to the writer. */
  attempt(source: string, step: () => void): void
}

/** Processes existing objects and later changes; returns a function that stops watching. */
export const watchCluster = (options: WatchClusterOptions): (() => void) => {
  const { client, cache, queue, nominations, waits, attempt } = options

  const forget = (uid: string): void => {
    queue.remove(uid)
    nominations.delete(uid)
    waits.remove(uid)
  }

  const onWaitingPod = (pod: Stored<Pod>, old: Stored<Pod> | undefined): void => {
    // Status writes of the scheduler itself must not requeue the pod.
    const isRelevant =
      old === undefined ||
      !isWaiting(old) ||
      !deepEqual(old.spec, pod.spec) ||
      !deepEqual(old.metadata.labels, pod.metadata.labels)
    if (isRelevant) queue.add(pod)
    else queue.update(pod)
    if (pod.status.nominatedNodeName === undefined) nominations.delete(pod.metadata.uid)
    else nominations.set(cache.infoOf(pod))
  }

  const onPod = ({ object: pod, old, type }: WatchEvent<Pod>): void => {
    const { uid } = pod.metadata
    if (type === 'DELETED') {
      forget(uid)
      cache.removePod(uid)
      if (hasNode(pod)) queue.requeue('pod-removed')
      return
    }
    if (!hasNode(pod)) {
      if (isWaiting(pod)) onWaitingPod(pod, old)
      else forget(uid)
      return
    }
    const isNew = old === undefined || !hasNode(old)
    if (isNew) forget(uid)
    cache.setPod(pod)
    if (isNew) queue.requeue('pod-assigned')
    else if (isPodTerminal(pod) && !isPodTerminal(old)) queue.requeue('pod-removed')
  }

  const handlePod = (event: WatchEvent<Pod>): void => {
    const { namespace, name } = event.object.metadata
    attempt(`pod ${namespace}/${name}`, () => onPod(event))
  }

  const onVolume = (): void => {
    queue.requeue('volume')
    waits.check()
  }

  for (const node of client.list(nodes)) cache.setNode(node)
  const unsubscribes = [
    client.watch(nodes, ({ type, object }) => {
      attempt(`node ${object.metadata.name}`, () => {
        if (type === 'DELETED') cache.removeNode(object.metadata.name)
        else if (cache.setNode(object)) queue.requeue('node')
      })
    }),
    client.watch(pods, handlePod),
    client.watch(persistentVolumeClaims, onVolume),
    client.watch(persistentVolumes, onVolume),
    client.watch(storageClasses, onVolume),
  ]
  for (const object of client.list(pods)) handlePod({ type: 'ADDED', object })
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}
