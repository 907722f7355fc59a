/** Applies network faults and DNS faults to simulated pods. They act on the address of the pod, so restarts of containers do not end them. */
import type { SimNetwork } from '#platform/engines/sim/network'
import type { DnsFault, NetworkFault } from '#platform/kube/simulated'
import type { ApplySimFault } from './faulted-pod.ts'

export const applyNetworkFault =
  (network: SimNetwork): ApplySimFault<NetworkFault> =>
  async ({ target: { uid }, effects, cut, peers }) => {
    const reverts = [
      ...(effects === undefined ? [] : [network.applyEffects(uid, effects, peers)]),
      ...(cut === undefined ? [] : [network.cut(uid, cut, peers)]),
    ]
    return async () => {
      for (const revert of reverts) revert()
    }
  }

export const applyDnsFault =
  (network: SimNetwork): ApplySimFault<DnsFault> =>
  async ({ target: { uid }, action, patterns }) => {
    const revert = network.interfereDns(uid, { action, patterns })
    return async () => revert()
  }
