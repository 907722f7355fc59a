/** Applies and releases the bandwidth limits of pods. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { NetworkNamespace } from '#machine/linux'
import { bandwidthOf, type PodBandwidth } from '#platform/kube/connectivity'
import type { Stored } from '#platform/kube/meta'
import type { ClusterNetworkOptions } from '../cluster-network.ts'
import { limitBandwidth, releaseBandwidth } from './pod-bandwidth.ts'

export interface BandwidthLimits {
  /** Applies the pod's limits, if the pod has a device. Rejects with the CNI plugin's message. */
  apply(pod: Stored<Pod>, device: string | undefined): Promise<void>
  /** Call before the pod is detached. */
  release(uid: string): void
  /** Resolves when all releases have ended. */
  close(): Promise<void>
}

export const createBandwidthLimits = (
  namespace: NetworkNamespace,
  { marker, onError }: Pick<ClusterNetworkOptions, 'marker' | 'onError'>,
): BandwidthLimits => {
  const limitedPods = new Map<string, { readonly device: string; readonly limits: PodBandwidth }>()
  const releasing = new Set<Promise<void>>()
  const targetOf = (device: string) => ({ namespace, device, environment: marker })

  const release = (uid: string, onFailure: (error: unknown) => void): void => {
    const entry = limitedPods.get(uid)
    limitedPods.delete(uid)
    if (entry === undefined) return
    const pending = releaseBandwidth(targetOf(entry.device), entry.limits)
      .catch(onFailure)
      .finally(() => releasing.delete(pending))
    releasing.add(pending)
  }

  return {
    async apply(pod, device) {
      const { uid } = pod.metadata
      const limits = bandwidthOf(pod)
      if (device === undefined || limitedPods.has(uid) || Object.keys(limits).length === 0) return
      limitedPods.set(uid, { device, limits })
      try {
        await limitBandwidth(targetOf(device), limits)
      } catch (error) {
        // Errors are ignored, because the device may not exist yet.
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
