/** Public interface of the embedded Kubernetes. */

export type { AuditEvent } from '#platform/kube/api'
export * from '#platform/kube/cluster'
export { createPodFaults, isStressor } from '#platform/kube/injection'
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
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  replicaSets,
  serviceAccounts,
  services,
  statefulSets,
} from '#platform/kube/kinds'
export { ApiError, fullImageName, type KubeObject, toTime, unitValue } from '#platform/kube/meta'
export { type ClusterNetwork, createClusterNetwork } from '#platform/kube/network'
export type * from '#platform/kube/ports'
export { OWNER_UID } from '#platform/kube/ports'
export {
  claimFolder,
  combineCatalogues,
  createOciRuntime,
  type ImageCatalogue,
  type ImageProgram,
  measureFolder,
  nodeDisk,
  type ProgramMount,
  wellKnownImages,
} from '#platform/kube/runtimes/oci'
export { createSimulatedRuntime, everydayImages } from '#platform/kube/runtimes/simulated'
export { decodeObject, schemaOf } from '#platform/kube/schema'
