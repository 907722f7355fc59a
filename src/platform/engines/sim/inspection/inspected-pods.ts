/** Simulated pods as the laboratory inspects them. `SimPods` of the runtime fits. */
import type { ContainerFiles, ContainerStress } from '#platform/engines/sim/hosts'
import type { SimProcess } from '#platform/engines/sim/runtime'

export interface InspectedContainer {
  readonly id: string
  readonly name: string
  readonly resources: {
    readonly stress: Pick<ContainerStress, 'processes'>
    readonly files: Pick<ContainerFiles, 'listAll' | 'listUnlinked'>
  }
  /** In the order of their start, without those of faults. */
  processes(): readonly SimProcess[]
  /** Whether the image has a program at this absolute path. */
  hasProgram(path: string): boolean
}

export interface InspectedPods<Container = InspectedContainer> {
  /** Returns undefined for a pod that is not running. */
  find(uid: string): { containers(): readonly Container[] } | undefined
}
