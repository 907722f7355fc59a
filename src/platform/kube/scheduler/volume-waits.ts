/** Pods with a chosen node that wait for their volumes to be bound. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { bindVolumes } from './bind-volumes.ts'
import type { ClusterCache } from './cluster-cache.ts'
import { PodRefusal } from './filter.ts'

const TIMEOUT_MS = 600_000
const TIMED_OUT = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'

export interface VolumeWaits {
  has(uid: string): boolean
  /** Reserves the pod's resources on the node until its volumes are bound. */
  add(pod: Stored<Pod>, node: string): void
  /** Stops waiting for the pod. */
  remove(uid: string): void
  /** Rechecks the waiting pods after a change of volumes. */
  check(): void
  clear(): void
}

export interface VolumeWaitsOptions {
  client: Client
  clock: Clock
  cache: ClusterCache
  onReady(pod: Stored<Pod>, node: string): void
  /** Must not throw: no caller can handle the error. */
  onFailed(pod: Stored<Pod>, error: unknown): void
}

export const createVolumeWaits = (options: VolumeWaitsOptions): VolumeWaits => {
  const { client, clock, cache, onReady, onFailed } = options
  const waits = new Map<string, { pod: Stored<Pod>; node: string; timer: Timer }>()
  let isQueued = false

  const remove = (uid: string): void => {
    waits.get(uid)?.timer.cancel()
    if (waits.delete(uid)) cache.removePod(uid)
  }

  const fail = (pod: Stored<Pod>, error: unknown): void => {
    remove(pod.metadata.uid)
    onFailed(pod, error)
  }

  const checkAll = (): void => {
    isQueued = false
    for (const { pod, node } of [...waits.values()]) {
      try {
        const info = cache.node(node)
        if (info === undefined || !bindVolumes(client, pod, info.node)) continue
        remove(pod.metadata.uid)
        onReady(pod, node)
      } catch (error) {
        fail(pod, error)
      }
    }
  }

  return {
    has: (uid) => waits.has(uid),
    add(pod, node) {
      cache.setPod(pod, node)
      const timer = clock.after(TIMEOUT_MS, () => fail(pod, new PodRefusal(TIMED_OUT)))
      waits.set(pod.metadata.uid, { pod, node, timer })
    },
    remove,
    check() {
      if (isQueued || waits.size === 0) return
      isQueued = true
      clock.defer(checkAll)
    },
    clear() {
      for (const uid of [...waits.keys()]) remove(uid)
    },
  }
}
