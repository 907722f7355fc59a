/** The types of the local engine. */
import type { Clock } from '#kit'
import type { AuditEvent, Cluster, ListeningCluster } from '#platform/kube'
import type { Engine, EngineCluster, ProvisionOptions, System } from '#spec'

export interface LocalEngineOptions {
  /** The state folder; REMEDIUM_STATE or the default folder of the machine if omitted. */
  state?: string
  clock?: Clock
  /** Called for every request that changed an object in any cluster. */
  onAudit?(event: AuditEvent): void
  /** Called for errors inside the clusters, which continue to run. */
  onError?(source: string, error: unknown): void
}

export interface LocalCluster extends EngineCluster {
  /** The folder of the cluster. */
  readonly folder: string
  /** The token of the administrator. */
  readonly token: string
  /** The certificate of the authority, in PEM format. */
  readonly certificateAuthority: string
  /** Creates a kubeconfig that authenticates with a new client certificate. */
  certificateKubeconfig: ListeningCluster['certificateKubeconfig']
  /** The embedded Kubernetes. */
  readonly cluster: Cluster
  /** With `false`, the kubelet stops reporting; containers continue to run. */
  setNodeHealth(node: string, healthy: boolean): void
  /** With `false`, the node and its pods are cut off from the API server and from other nodes. */
  setNodeReachable(node: string, reachable: boolean): Promise<void>
}

export interface LocalEngine extends Engine<LocalCluster> {
  provision(
    system?: System,
    options?: ProvisionOptions & { onClaim?(folder: string): void },
  ): Promise<LocalCluster>
}
