/** Pods whose node is chosen and whose volumes are on their way. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { bindVolumes } from './bind-volumes.ts'
import type { ClusterCache } from './cluster-cache.ts'
import { PodRefusal } from './filter.ts'

const TIMEOUT_MS = 600_000
const TIMED_OUT = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'

export interface VolumeWaits {
  has(uid: string): boolean
  /** Holds the pod's room on the node until its volumes are bound. */
  add(pod: Stored<Pod>, node: string): void
  /** The pod needs no more waiting. */
  remove(uid: string): void
  /** Something about volumes has changed. */
  check(): void
  clear(): void
}

export interface VolumeWaitsOptions {
  client: Client
  clock: Clock
  cache: ClusterCache
  onReady(pod: Stored<Pod>, node: string): void
  /** Must not throw: nobody waits for what happens here. */
  onFailed(pod: Stored<Pod>, error: unknown): void
}

export const createVolumeWaits = (options: VolumeWaitsOptions): VolumeWaits => {
  const { client, clock, cache, onReady, onFailed } = options
  const waits = new Map<string, { pod: Stored<Pod>; node: string; timer: Timer }>()
  let queued = false

  const remove = (uid: string): void => {
    waits.get(uid)?.timer.cancel()
    if (waits.delete(uid)) cache.removePod(uid)
  }

  const fail = (pod: Stored<Pod>, error: unknown): void => {
    remove(pod.metadata.uid)
    onFailed(pod, error)
  }

  const checkAll = (): void => {
    queued = false
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
      if (queued || waits.size === 0) return
      queued = true
      clock.defer(checkAll)
    },
    clear() {
      for (const uid of [...waits.keys()]) remove(uid)
    },
  }
}
