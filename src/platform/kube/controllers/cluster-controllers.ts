/** The list of controllers that manage the cluster itself rather than its workloads. */
import { createClusterRoleAggregation } from './accounts/cluster-role-aggregation.ts'
import { createRootCaController } from './accounts/root-ca.ts'
import { serviceAccountController } from './accounts/service-account.ts'
import {
  createServiceAccountToken,
  type ServiceAccountTokenOptions,
} from './accounts/service-account-token.ts'
import { createEventExpiry } from './cleanup/event-expiry.ts'
import { createGarbageCollector } from './cleanup/garbage-collector.ts'
import { createPodGarbageCollector } from './cleanup/pod-garbage-collector.ts'
import type { Controller } from './define-controller.ts'
import { createNamespaceLifecycle } from './namespaces/namespace-lifecycle.ts'
import { createResourceQuotaController } from './namespaces/resource-quota.ts'
import { nodeIpamController } from './nodes/node-ipam.ts'
import { createNodeLifecycle } from './nodes/node-lifecycle.ts'
import { nodeTtlController } from './nodes/node-ttl.ts'
import { createTaintEviction } from './nodes/taint-eviction.ts'
import { createHorizontalPodAutoscaler, type MetricsSource } from './scaling/horizontal-pod-autoscaler.ts'
import { podDisruptionBudgetController } from './scaling/pod-disruption-budget.ts'
import { createEndpointSliceController } from './services/endpoint-slice.ts'
import { endpointSliceMirroringController } from './services/endpoint-slice-mirroring.ts'
import { createEndpointsController } from './services/endpoints.ts'
import {
  createPersistentVolumeController,
  type PersistentVolumeOptions,
} from './storage/persistent-volume.ts'
import { volumeProtectionControllers } from './storage/volume-protection.ts'

export interface ClusterControllersOptions {
  /** The CA certificate in PEM, published to every namespace. */
  rootCertificate: string
  /** Resource usage of pods, for autoscalers. If omitted, autoscalers report that the metrics API is unavailable. */
  metrics?: MetricsSource
  volumes?: PersistentVolumeOptions
  /** Issues tokens for Secrets of type `kubernetes.io/service-account-token`. If omitted, they stay empty. */
  tokens?: ServiceAccountTokenOptions['tokens']
}

export const clusterControllers = ({
  rootCertificate,
  metrics,
  volumes,
  tokens,
}: ClusterControllersOptions): readonly Controller[] => [
  serviceAccountController,
  ...(tokens === undefined ? [] : [createServiceAccountToken({ rootCertificate, tokens })]),
  createRootCaController(rootCertificate),
  createClusterRoleAggregation(),
  nodeIpamController,
  nodeTtlController,
  createNodeLifecycle(),
  createTaintEviction(),
  createEndpointsController(),
  createEndpointSliceController(),
  endpointSliceMirroringController,
  createPersistentVolumeController(volumes),
  ...volumeProtectionControllers,
  podDisruptionBudgetController,
  createHorizontalPodAutoscaler(metrics),
  createResourceQuotaController(),
  createPodGarbageCollector(),
  createEventExpiry(),
  createNamespaceLifecycle(),
  createGarbageCollector(),
]
