/** The types of the simulated engine. */
import type { VirtualClock } from '#kit'
import type { NodeControl } from '#platform/engines/reset'
import type { SimPods } from '#platform/engines/sim/runtime'
import type { Cluster } from '#platform/kube/simulated'
import type { Engine, EngineCluster } from '#spec'

export interface SimEngineOptions {
  /** Called for errors inside the clusters, which continue to run. */
  onError?(source: string, error: unknown): void
}

export interface SimCluster extends EngineCluster, Pick<NodeControl, 'setNodeHealth' | 'setNodeReachable'> {
  /** The time of this cluster only. */
  readonly clock: VirtualClock
  /** The embedded Kubernetes. */
  readonly cluster: Cluster
  /** The pods that run. */
  readonly pods: SimPods
}

export type SimEngine = Engine<SimCluster>
