/** Public interface of a cluster with simulated pods. Loads no code for real processes, to start faster. */
export type { AuditEvent } from '#platform/kube/api'
export { type Cluster, createCluster, defaultNodes, publishDnsService } from '#platform/kube/cluster'
export {
  type AllowedConnections,
  type AttachedPodIdentity,
  type BalancedPort,
  type BandwidthBucket,
  balancedPortsOf,
  bandwidthOf,
  bucketOf,
  CLUSTER_DOMAIN,
  createClusterZone,
  createDnsIndex,
  createDnsInterferences,
  createResolver,
  DNS_ADDRESS,
  followObjects,
  hostPortsOf,
  hostsEntriesOf,
  isConnectionAllowed,
  isolatedPods,
  MIN_BUCKET_BYTES,
  type NetworkNode,
  OUTSIDE_ADDRESS,
  peerPods,
  policyPods,
  RCODE,
  type Resolution,
  type ResolverConfig,
  resolverConfigOf,
  SERVICE_RANGE,
  serviceKeyOf,
  usableBackends,
} from '#platform/kube/connectivity'
export { wellKnownRepository } from '#platform/kube/containers'
export {
  controllerRevisions,
  daemonSets,
  deployments,
  endpointSlices,
  endpoints,
  events,
  jobs,
  type Kind,
  leases,
  namespaces,
  networkPolicies,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  replicaSets,
  serviceAccounts,
  services,
  statefulSets,
} from '#platform/kube/kinds'
export { ApiError, fullImageName, type KubeObject, type Stored, toTime, unitValue } from '#platform/kube/meta'
export {
  addressNumber,
  createEffectsState,
  nextCopies,
  type PacketEffectsState,
  type PeerRange,
  parsePeer,
} from '#platform/kube/packets'
export {
  type ApplyFaultTo,
  clockNumbersOf,
  createFaultRegister,
  type FaultRegister,
  targetContainer,
} from '#platform/kube/pod-faults'
export type {
  AppliedFault,
  Client,
  DnsFault,
  DnsInterference,
  IoFault,
  KillFault,
  NetworkFault,
  PacketEffects,
  PodFault,
  StressFault,
  TimeFault,
  WatchEvent,
} from '#platform/kube/ports'
export { OWNER_UID } from '#platform/kube/ports'
export { createSimulatedRuntime, everydayImages } from '#platform/kube/runtimes/simulated'
export { decodeObject, schemaOf } from '#platform/kube/schema'
