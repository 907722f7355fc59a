/** A pod on a simulated node, from the creation of its sandbox to its removal. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Sandbox, Stored } from '#platform/kube/simulated'
import type { SimPod } from '../sim-pods.ts'
import type { ReadyVolume } from '../volumes/pod-volumes.ts'
import type { ProgramContainer } from './program-container.ts'

export interface NodePod {
  readonly pod: Stored<Pod>
  readonly sandbox: Sandbox
  readonly sim: SimPod
  readonly volumes: ReadonlyMap<string, ReadyVolume>
  /** The running containers. */
  readonly running: Set<ProgramContainer>
}
