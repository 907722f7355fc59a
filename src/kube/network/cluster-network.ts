/** What the network of a cluster is to the rest of the engine. */
import type { Clock, Random } from '../../kit/index.ts'
import type { NetworkNamespace } from '../../linux/index.ts'
import type { Client, DnsFaults, PodNetwork } from '../ports/index.ts'

/** Where a node lies: its own address, and the range of its pods. */
export interface NetworkNode {
  readonly name: string
  readonly hostIP: string
  readonly podCIDR: string
}

export interface ClusterNetworkOptions {
  clock: Clock
  random: Random
  nodes: readonly NetworkNode[]
  /** The environment of every program that is started here. */
  marker: Readonly<Record<string, string>>
  /** Told of what failed while nobody waited for it; the network goes on and tries again. */
  onError(where: string, error: unknown): void
}

/** A machine's worth of network in one namespace, which no other network can reach. */
export interface ClusterNetwork extends PodNetwork {
  /** Every packet between pods and nodes passes it; the addresses of the API server and of the DNS lie here. */
  readonly namespace: NetworkNamespace
  /** Acts on the names of pods once `follow` was called. */
  readonly dns: DnsFaults
  /** From now on Services, NetworkPolicies and names are what the API says. To be called once. */
  follow(client: Client): void
  /** Resolves when what the API says of Services and policies just now is in force. */
  settled(): Promise<void>
  /** False: the node and its pods meet nobody else's any more, nor the API server. */
  setNodeReachable(node: string, reachable: boolean): Promise<void>
  /** Takes away everything, the pods' namespaces included. */
  close(): Promise<void>
}
