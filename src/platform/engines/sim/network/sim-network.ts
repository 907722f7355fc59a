/** The interface of a modelled network to the simulated engine. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '#kit'
import type {
  Client,
  DnsInterference,
  NetworkFault,
  NetworkNode,
  PacketEffects,
  Stored,
} from '#platform/kube/simulated'
import type {
  AcceptConnection,
  NetworkReading,
  PodRoute,
  ProgramConnection,
  ProgramListener,
  ProgramNetwork,
} from '#spec'

export interface SimNetworkOptions {
  readonly clock: Clock
  readonly random: Random
  /** The API of the cluster, whose Services, endpoints, policies, pods and namespaces are followed. */
  readonly client: Client
  readonly nodes: readonly NetworkNode[]
}

/** The network of one program: a container's main process, or one that exec started. */
export interface ProcessNetwork {
  readonly network: ProgramNetwork
  isListening(port: number): boolean
  /**
   * Closes everything that the program has opened; its peers see a reset. Promises of the program never settle afterwards.
   */
  end(): void
}

/** The attachment of a pod to the network. */
export interface PodNetworkModel {
  readonly ip: string
  startProcess(): ProcessNetwork
  /** Counters of the pod's device. Drops are always 0, as on a real pod: packets are lost behind its device. */
  reading(): NetworkReading
  /**
   * Removes the address. Programs that still run lose their connections, without a message to their peers. The router resets
   * connections to the address, and reports it as unreachable to new ones.
   */
  detach(): void
}

/** Reverts a fault. Succeeds if the pod no longer exists. */
export type RevertFault = () => void

export interface SimNetwork {
  /** Throws with the message of the CNI plugin if an annotation about bandwidth is invalid. */
  attachPod(pod: Stored<Pod>, place: { readonly ip: string; readonly node: string }): PodNetworkModel
  /** Connects from a node, as the kubelet's probes do. `host` must be an address. */
  connectFromNode(node: string, host: string, port: number, signal?: AbortSignal): Promise<ProgramConnection>
  /** Connects from outside the cluster to a Service. Rejects with `ECONNREFUSED` if there is no such Service. */
  connectFromOutside(
    target: { readonly namespace: string; readonly service: string; readonly port: number },
    signal?: AbortSignal,
  ): Promise<ProgramConnection>
  /** Listens at the address of the API server. Throws an error of code `EADDRINUSE` if the port is in use. */
  listenOutside(port: number, accept: AcceptConnection): ProgramListener
  /** Whether a program listens on the port of the pod, or on any port. */
  hasListener(uid: string, port?: number): boolean
  /** Connects inside a pod to one of its ports. */
  connectInside(uid: string, port: number, via: PodRoute, signal?: AbortSignal): Promise<ProgramConnection>
  /** Applies the effects to the packets that the pod sends. `peers` are addresses with prefix length. */
  applyEffects(uid: string, effects: PacketEffects, peers?: readonly string[]): RevertFault
  /** Drops the packets of the pod in this direction. */
  cut(uid: string, direction: NonNullable<NetworkFault['cut']>, peers?: readonly string[]): RevertFault
  /** Makes the DNS answer the pod incorrectly. */
  interfereDns(uid: string, rule: DnsInterference): RevertFault
  /** `false` isolates the node and its pods from all others. */
  setNodeReachable(node: string, isReachable: boolean): void
  /** Stops following the API. */
  close(): void
}
