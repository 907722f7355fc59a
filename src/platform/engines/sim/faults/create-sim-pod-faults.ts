/** Combines all kinds of faults for the pods of one simulated cluster. */
import type { Clock } from '#kit'
import type { SimNetwork } from '#platform/engines/sim/network'
import {
  createFaultRegister,
  type FaultRegister,
  type KillFault,
  targetContainer,
} from '#platform/kube/simulated'
import { applyIoFault } from './apply-io-fault.ts'
import { applyDnsFault, applyNetworkFault } from './apply-network-fault.ts'
import { applyStressFault } from './apply-stress-fault.ts'
import { applyTimeFault } from './apply-time-fault.ts'
import type { ApplySimFault, FaultedContainer } from './faulted-pod.ts'

/** The running pods. `SimPods` of the runtime has these methods. */
export interface SimPodDirectory {
  find(uid: string): { containers(): readonly FaultedContainer[] } | undefined
  /** Calls the listener before the pod is removed from the network. */
  onRemoval(listener: (uid: string) => void): () => void
}

export interface SimPodFaultsOptions {
  readonly pods: SimPodDirectory
  readonly network: SimNetwork
  readonly clock: Clock
}

const applyKillFault: ApplySimFault<KillFault> = async ({ target }, pod) => {
  targetContainer(target, pod).kill()
  return async () => {
    // A kill cannot be undone.
  }
}

export const createSimPodFaults = ({ pods, network, clock }: SimPodFaultsOptions): FaultRegister =>
  createFaultRegister({
    pods: {
      find(uid) {
        const pod = pods.find(uid)
        return pod === undefined ? undefined : { containers: pod.containers() }
      },
      onRemoval: (listener) => pods.onRemoval(listener),
    },
    clock,
    kinds: {
      network: applyNetworkFault(network),
      stress: applyStressFault(clock),
      io: applyIoFault,
      time: applyTimeFault,
      dns: applyDnsFault(network),
      kill: applyKillFault,
    },
  })
