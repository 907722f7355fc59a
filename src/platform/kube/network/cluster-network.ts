/** The interface of a cluster's network to the rest of the engine. */
import type { Clock, Random } from '#kit'
import type { NetworkNamespace } from '#machine/linux'
import type { NetworkNode } from '#platform/kube/connectivity'
import type { Client, DnsFaults, PodNetwork } from '#platform/kube/ports'

export interface ClusterNetworkOptions {
  clock: Clock
  random: Random
  nodes: readonly NetworkNode[]
  /** Whether pods get random addresses and interface indices; ascending ones by default, as from CNI plugins. */
  hasRandomAddresses?: boolean
  /** Added to the environment of every program that the network starts. */
  marker: Readonly<Record<string, string>>
  /** Called for errors in the background; the network keeps running. */
  onError(source: string, error: unknown): void
}

/** An isolated network that no other network can reach. */
export interface ClusterNetwork extends PodNetwork {
  /** Routes all packets between pods and nodes; has the addresses of the API server and the DNS server. */
  readonly namespace: NetworkNamespace
  /** Faults take effect once `follow` has been called. */
  readonly dns: DnsFaults
  /** Starts to apply the API's Services and NetworkPolicies, and to serve DNS. Call once. */
  follow(client: Client): void
  /** Resolves when the current Services and policies are in effect. */
  settled(): Promise<void>
  /** `false` isolates the node and its pods from all others and from the API server. */
  setNodeReachable(node: string, reachable: boolean): Promise<void>
  /** Removes everything, including the pods' namespaces. */
  close(): Promise<void>
}
