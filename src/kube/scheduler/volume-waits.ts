/** Pods whose node is chosen and whose volumes are on their way. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '../../kit/index.ts'
import { ApiError, type Stored } from '../meta/index.ts'
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
  onFailed(pod: Stored<Pod>, message: string): void
}

export const createVolumeWaits = (options: VolumeWaitsOptions): VolumeWaits => {
  const { client, clock, cache, onReady, onFailed } = options
  const waits = new Map<string, { pod: Stored<Pod>; node: string; timer: Timer }>()
  let queued = false

  const remove = (uid: string): void => {
    waits.get(uid)?.timer.cancel()
    if (waits.delete(uid)) cache.removePod(uid)
  }

  const fail = (pod: Stored<Pod>, message: string): void => {
    remove(pod.metadata.uid)
    onFailed(pod, message)
  }

  const checkAll = (): void => {
    queued = false
    for (const { pod, node } of [...waits.values()]) {
      const info = cache.node(node)
      try {
        if (info === undefined || !bindVolumes(client, pod, info.node)) continue
        remove(pod.metadata.uid)
        onReady(pod, node)
      } catch (error) {
        if (!(error instanceof PodRefusal || error instanceof ApiError)) throw error
        fail(pod, error.message)
      }
    }
  }

  return {
    has: (uid) => waits.has(uid),
    add(pod, node) {
      cache.setPod(pod, node)
      waits.set(pod.metadata.uid, { pod, node, timer: clock.after(TIMEOUT_MS, () => fail(pod, TIMED_OUT)) })
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
