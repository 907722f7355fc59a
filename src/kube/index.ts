/** The embedded Kubernetes. */

export type { AuditEvent } from './api/index.ts'
export * from './cluster/index.ts'
export { createPodFaults } from './injection/index.ts'
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
} from './kinds/index.ts'
export { ApiError, type KubeObject, unitValue } from './meta/index.ts'
export { type ClusterNetwork, createClusterNetwork } from './network/index.ts'
export type * from './ports/index.ts'
export { OWNER_UID } from './ports/index.ts'
export {
  claimFolder,
  createOciRuntime,
  createSimulatedRuntime,
  everydayImages,
  everydayPrograms,
  firstOf,
  fullImageName,
  type ImageCatalogue,
  type ImageProgram,
  measureFolder,
  nodeDisk,
  type ProgramMount,
} from './runtimes/index.ts'
export { decodeObject, schemaOf } from './schema/index.ts'
