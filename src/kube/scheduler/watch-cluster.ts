/** Keeps what the scheduler knows of the cluster up to date, and wakes the pods that a change may help. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  isPodTerminal,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'
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
  /** Runs a step that may fail without harm to the writer who caused it. */
  attempt(where: string, step: () => void): void
}

/** Takes in what exists and whatever will happen; gives a function that ends it. */
export const watchCluster = (options: WatchClusterOptions): (() => void) => {
  const { client, cache, queue, nominations, waits, attempt } = options

  const forget = (uid: string): void => {
    queue.remove(uid)
    nominations.delete(uid)
    waits.remove(uid)
  }

  const onWaitingPod = (pod: Stored<Pod>, old: Stored<Pod> | undefined): void => {
    // The scheduler's own notes on a pod are no reason to try it again.
    const isNews =
      old === undefined ||
      !isWaiting(old) ||
      !deepEqual(old.spec, pod.spec) ||
      !deepEqual(old.metadata.labels, pod.metadata.labels)
    if (isNews) queue.add(pod)
    else queue.refresh(pod)
    if (pod.status.nominatedNodeName === undefined) nominations.delete(pod.metadata.uid)
    else nominations.set(cache.infoOf(pod))
  }

  const onPod = ({ object: pod, old, type }: WatchEvent<Pod>): void => {
    const { uid } = pod.metadata
    if (type === 'DELETED') {
      forget(uid)
      cache.removePod(uid)
      if (hasNode(pod)) queue.wake('pod-removed')
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
    if (isNew) queue.wake('pod-assigned')
    else if (isPodTerminal(pod) && !isPodTerminal(old)) queue.wake('pod-removed')
  }

  const takePod = (event: WatchEvent<Pod>): void => {
    const { namespace, name } = event.object.metadata
    attempt(`pod ${namespace}/${name}`, () => onPod(event))
  }

  const onVolume = (): void => {
    queue.wake('volume')
    waits.check()
  }

  for (const node of client.list(nodes)) cache.setNode(node)
  const ends = [
    client.watch(nodes, ({ type, object }) => {
      attempt(`node ${object.metadata.name}`, () => {
        if (type === 'DELETED') cache.removeNode(object.metadata.name)
        else if (cache.setNode(object)) queue.wake('node')
      })
    }),
    client.watch(pods, takePod),
    client.watch(persistentVolumeClaims, onVolume),
    client.watch(persistentVolumes, onVolume),
    client.watch(storageClasses, onVolume),
  ]
  for (const object of client.list(pods)) takePod({ type: 'ADDED', object })
  return () => {
    for (const end of ends) end()
  }
}
