/** The types of the simulated engine. */
import type { VirtualClock } from '#kit'
import type { NodeControl } from '#platform/engines/reset'
import type { SimPods } from '#platform/engines/sim/runtime'
import type { AuditEvent, Cluster } from '#platform/kube/simulated'
import type { Engine, EngineCluster } from '#spec'

export interface SimEngineOptions {
  /** Called for errors inside the clusters, which continue to run. */
  onError?(source: string, error: unknown): void
  /** Called for every request that changed an object in any cluster. */
  onAudit?(event: AuditEvent): void
  /**
   * Whether clients outside this process use the clusters. They then have sockets, and their clock shows the time of the machine when
   * they are provisioned. The caller must let the clock follow real time. Keys and tokens differ in each cluster.
   */
  servesClients?: boolean
}

export interface SimCluster extends EngineCluster, Pick<NodeControl, 'setNodeHealth' | 'setNodeReachable'> {
  /** The time of this cluster only. */
  readonly clock: VirtualClock
  /** The embedded Kubernetes. */
  readonly cluster: Cluster
  /** The API server, if the cluster has sockets. */
  readonly listening?: Awaited<ReturnType<Cluster['listen']>>
  /** The pods that run. */
  readonly pods: SimPods
}

export type SimEngine = Engine<SimCluster>
