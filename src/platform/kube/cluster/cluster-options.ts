/** The options and the interface of a cluster. */
import type { Clock, Random } from '#kit'
import type { ApiServer, Audit, AuditEvent } from '#platform/kube/api'
import type { PersistentVolumeOptions } from '#platform/kube/controllers'
import type { Kubelet, NodeFacts, StorageAllowance } from '#platform/kube/node'
import type { ContainerRuntime, NodeDirectory, PodFaults, User } from '#platform/kube/ports'
import type { Resources } from '#platform/kube/resources'
import type { StoreOptions } from '#platform/kube/store'
import type {
  ClusterAccess,
  HttpRequestContent,
  HttpResponseContent,
  KubeApi,
  KubeDiscovery,
  ServiceAccountName,
} from '#spec'

export interface ClusterOptions {
  clock: Clock
  random: Random
  /** Three nodes by default. */
  nodes?: readonly NodeFacts[]
  runtimeFor(node: NodeFacts, index: number): ContainerRuntime
  store?: StoreOptions
  /** Applies the faults of Chaos Mesh objects. If omitted, their kinds are not served. */
  faults?: PodFaults
  /** The directory of provisioned volumes, and how to delete their data. */
  volumes?: PersistentVolumeOptions
  /** Interval at which kubelets measure the disk usage of pods with limits; ten seconds by default. */
  diskCheckMs?: number
  /** Limits the storage of every pod, in addition to the pod's own limits; unlimited by default. */
  storageAllowance?: StorageAllowance
  /**
   * If false, the cluster never listens on a socket. It generates no keys, and the same seed creates byte-identical objects.
   */
  sockets?: boolean
  /** Called for every audited request: writes and streams into pods. */
  onAudit?(event: AuditEvent): void
  /** Called for errors inside the cluster, which keeps running. */
  onError?(source: string, error: unknown): void
}

export interface ListenOptions {
  host?: string
  port?: number
}

/** A cluster that listens on a socket, with the credentials of its administrator. */
export interface ListeningCluster extends ApiServer {
  token: string
  /** PEM. */
  certificateAuthority: string
  kubeconfig: string
  /** Returns a kubeconfig with a client certificate issued for the user. */
  certificateKubeconfig(user: User, namespace?: string): string
  /** Returns the cluster access of the token's service account. Throws if the token is invalid. */
  access(token: string, namespace: string): ClusterAccess
}

export interface Cluster {
  readonly resources: Resources
  readonly audit: Audit
  readonly nodes: NodeDirectory
  readonly kubelets: ReadonlyMap<string, Kubelet>
  readonly discovery: KubeDiscovery
  /** Returns the API under an identity, without sockets. */
  apiFor(user: User): KubeApi
  /** Returns the cluster access of a service account, without sockets. Throws if the account does not exist. */
  accessAs(account: ServiceAccountName): ClusterAccess
  /**
   * Answers the requests of programs in simulated pods with JSON. They authenticate by the tokens of their service accounts. Watches, logs,
   * streams and documents such as `/version` are not served.
   */
  answer(request: HttpRequestContent): Promise<HttpResponseContent>
  /** Publishes the address of the API server for pods until the returned function is called. `listen` does so, too. */
  publishAddress(port: number): () => void
  listen(options?: ListenOptions): Promise<ListeningCluster>
  /** Stops everything except the sockets, which have their own `close`. */
  stop(): void
}
