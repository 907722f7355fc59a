/** Which pods of a network have a limit of bandwidth, and on which device it is kept. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { NetworkNamespace } from '../../../linux/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { ClusterNetworkOptions } from '../cluster-network.ts'
import { bandwidthOf, limitBandwidth, type PodBandwidth, releaseBandwidth } from './pod-bandwidth.ts'

export interface BandwidthLimits {
  /** Puts the limits of the pod in force; rejects in the kubelet's words. Pods without a device of their own have none. */
  put(pod: Stored<Pod>, device: string | undefined): Promise<void>
  /** The pod is about to go. */
  release(uid: string): void
  /** Resolves when nothing is on its way. */
  close(): Promise<void>
}

export const createBandwidthLimits = (
  namespace: NetworkNamespace,
  { marker, onError }: Pick<ClusterNetworkOptions, 'marker' | 'onError'>,
): BandwidthLimits => {
  const limited = new Map<string, { readonly device: string; readonly limits: PodBandwidth }>()
  const releasing = new Set<Promise<void>>()
  const placeOf = (device: string) => ({ namespace, device, environment: marker })

  const release = (uid: string, tell: (error: unknown) => void): void => {
    const held = limited.get(uid)
    limited.delete(uid)
    if (held === undefined) return
    const gone = releaseBandwidth(placeOf(held.device), held.limits)
      .catch(tell)
      .finally(() => releasing.delete(gone))
    releasing.add(gone)
  }

  return {
    async put(pod, device) {
      const { uid } = pod.metadata
      const limits = bandwidthOf(pod)
      if (device === undefined || limited.has(uid) || Object.keys(limits).length === 0) return
      limited.set(uid, { device, limits })
      try {
        await limitBandwidth(placeOf(device), limits)
      } catch (error) {
        // Its device may not even have been made.
        release(uid, () => {})
        throw error
      }
    },
    release: (uid) => release(uid, (error) => onError('network', error)),
    close: async () => {
      await Promise.all(releasing)
    },
  }
}
