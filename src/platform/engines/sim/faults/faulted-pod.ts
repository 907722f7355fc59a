/** A simulated pod as faults need it. */
import type { ContainerResources } from '#platform/engines/sim/hosts'
import type { ApplyFaultTo } from '#platform/kube/simulated'

/** One run of a container. A restart creates another one, with other resources. */
export interface FaultedContainer {
  readonly name: string
  readonly resources: Pick<ContainerResources, 'stress' | 'files' | 'time'>
  /** Kills the main process, and with it the container. */
  kill(): void
}

export interface FaultedSimPod {
  /** The running containers. */
  readonly containers: readonly FaultedContainer[]
}

export type ApplySimFault<Fault> = ApplyFaultTo<FaultedSimPod, Fault>
